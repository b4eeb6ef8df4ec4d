//! Diagrams as people write them.

use super::Diagram;

fn refusal(line: &str) -> String {
    let text = format!("process p\n start -> end\n {line}");
    Diagram::parse(&text).expect_err("it is wrong").to_string()
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    assert_eq!(refusal("a -> end"), "line 3: say what `a` is, such as `a : user`");
    assert!(refusal("a : usr -> end").starts_with("line 3: `usr` is not drawn: expected one of start, end,"));
    assert_eq!(refusal("a : user twice -> end"), "line 3: `user` does not say `twice`");
    assert_eq!(refusal("a : job -> end"), "line 3: a job has a type: `job charge-card`");
    assert_eq!(refusal("a : pass retries 3 -> end"), "line 3: `pass` does not say `retries`");
    assert_eq!(
        refusal("a : exclusive -> b when x"),
        "line 3: after `b` comes `if <condition>`, `else` or a comma, not `when x`"
    );
    assert_eq!(refusal("a : pass -> b"), "line 1: an arrow leads to `b`, which is not drawn");
    assert_eq!(refusal("start -> end"), "line 3: `start` is drawn twice");
    assert_eq!(
        refusal("1a : user"),
        "line 3: `1a` is not an id: letters, digits, `_`, `-` and `.`, beginning with a letter"
    );
    assert_eq!(
        refusal("a : after PT1S -> end"),
        "line 3: say where it stands: `on <activity>` ends it, `beside <activity>` does not"
    );
    assert!(refusal("a : catch nothing -> end").starts_with("line 3: `nothing` is no event"));
    assert_eq!(
        refusal("a : user with x -> end"),
        "line 3: `with` is followed by `name = expression`, not `x`"
    );
}

/// Every word of the language, so that none of it is refused by the importer.
const ALL: &str = r#"
process all saga global inflight terminate failure incident data total, "my list" masked x indexed y tag v1 named "All"
  start -> a
  a : pass named "A & B" merge race takes 2 gives 2 branches collect -> fork
  fork : parallel -> b, c, c, d, e
  b : job work retries 2 backoff fixed PT1S undo ub with x = 1, y.z = x giving r = x needs n number optional -> gate
  ub : job undo
  c : user assignee anna groups "x, y" candidates =who priority 75 form f due 2030-01-31T12:00:00Z -> gate
  gate : exclusive -> wait if x < 5 and y = "<", late else
  wait : timer PT5S -> end
  late : timer until =moment -> end
  d : script {a: 1} into s -> d2
  d2 : script "1 + 1" language javascript -> d3
  d3 : decision discount into rebate -> d4
  d4 : manual -> end
  e : send message paid key orderId -> e2
  e2 : receive message paid key orderId -> e3
  e3 : call other passing own returning mapped key =x deployed -> e4
  e4 : inclusive -> f if x > 1, g else
  f : complex fires when activationCount >= 1 -> h
  g : events -> g1, g2
  g1 : catch message m key k or signal s or at 2030-01-31T12:00:00Z -> end
  g2 : catch when x > 5 watching x -> end
  h : process for item in items sequentially gather item as all until x saga local failure fail data note -> i
    start -> h1
    h1 : user times 3 throws signal done each -> h2
    h2 : user times 3 throws escalation help once -> h3
    h3 : user times 3 throws signal done if x > 1 -> h4
    h4 : user while x < 3 limit 5 -> h5
    h5 : user repeat while x < 3 -> end
    h6 : event
      start beside message hint or every R3/PT10S -> end
    h7 : event
      start on error E1 into code, message -> end
  i : transaction -> j
    start -> i1
    i1 : end cancel
  no : cancel on i -> end
  j : adhoc sequential done when x keep choosing ["j1"] collect x as xs -> k
    j1 : user
  k : throw message m key k and signal s -> l
  l : throw escalation e -> m
  m : throw compensation of b aside -> n
  n : throw link L
  o : catch link L -> p
  p : throw message m job mail retries 1 -> q
  q : end terminate
  r : failure E1 on b -> r1
  r1 : end error E1
  s : message m and signal s beside c -> s1
  s1 : end escalation e
  t : escalation e beside h -> t1
  t1 : end compensation
  u : when x > 5 on c -> u1
  u1 : end message m key k

process other
  read : receive message order begins -> end
"#;

#[test]
fn every_word_passes_the_importer() {
    let xml = Diagram::parse(ALL).expect("a diagram").to_bpmn();
    let imported = tyer_model::import(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}\n{xml}"));
    let process = &imported.processes[0];
    for id in ["start-a", "fork-c", "fork-c-2", "gate-late", "h.start-h1"] {
        assert!(process.find_flow(id).is_some(), "{id}");
    }
    let warnings: Vec<String> = imported.warnings.iter().map(|warning| warning.message.clone()).collect();
    assert_eq!(warnings, Vec::<String>::new());
}
