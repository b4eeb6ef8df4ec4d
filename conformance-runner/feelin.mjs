// Evaluates expressions with the npm package `feelin`: a JSON array of texts in, a JSON array of values out.
// `feelin` is looked for in the folder given as the first argument (there: npm install feelin).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const { evaluate } = await import(pathToFileURL(createRequire(join(folder, 'x.js')).resolve('feelin')));

function plain(key, value) {
  return typeof value === 'function' || value?.parameterNames ? 'function' : value === undefined ? null : value;
}

function run(text) {
  try {
    const answer = evaluate(text, {});
    const value = answer && typeof answer === 'object' && 'warnings' in answer ? answer.value : answer;
    return JSON.parse(JSON.stringify(value, plain) ?? 'null');
  } catch {
    return 'cannot be read';
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(run)));
