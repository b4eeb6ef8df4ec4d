//! Models: what is required, called, imported, typed, and what is wrong with them.

use tyer_dmn::{DecisionModel, Outcome, Severity};
use tyer_feel::{Clock, Context, Exceeded, Limits, Value};

fn definitions(namespace: &str, body: &str) -> String {
    format!(
        "<definitions xmlns=\"https://www.omg.org/spec/DMN/20230324/MODEL/\" name=\"m\" namespace=\"{namespace}\">\n{body}\n</definitions>"
    )
}

fn model(body: &str) -> DecisionModel {
    DecisionModel::parse(definitions("n", body).as_bytes(), &[]).expect("it is XML")
}

fn inputs(json: &str) -> Context {
    let Ok(Value::Context(context)) = Value::from_json(json) else { panic!("{json} is not an object") };
    context
}

fn outcome(model: &DecisionModel, name: &str, json: &str) -> Outcome {
    model
        .evaluate(name, &inputs(json), &Clock::epoch(), &Limits::default())
        .expect("there is such an element")
}

fn value(model: &DecisionModel, name: &str, json: &str) -> String {
    outcome(model, name, json).value.to_json()
}

const LOAN: &str = r##"
<itemDefinition name="tLoan"><itemComponent name="amount"><typeRef>number</typeRef></itemComponent>
  <itemComponent name="interest rate"><typeRef>number</typeRef></itemComponent></itemDefinition>
<inputData id="i1" name="Loan"><variable name="Loan" typeRef="tLoan"/></inputData>
<businessKnowledgeModel id="b1" name="Interest"><variable name="Interest" typeRef="number"/><encapsulatedLogic>
  <formalParameter name="the amount" typeRef="number"/><formalParameter name="rate" typeRef="number"/>
  <literalExpression><text>the amount * rate / 100</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>
<decision id="d1" name="Yearly"><variable name="Yearly" typeRef="number"/>
  <informationRequirement><requiredInput href="#i1"/></informationRequirement>
  <knowledgeRequirement><requiredKnowledge href="#b1"/></knowledgeRequirement>
  <invocation><literalExpression><text>Interest</text></literalExpression>
    <binding><parameter name="the amount"/><literalExpression><text>Loan.amount</text></literalExpression></binding>
    <binding><parameter name="rate"/><literalExpression><text>Loan.interest rate</text></literalExpression></binding>
  </invocation></decision>
<decision id="d2" name="Is it much?"><variable name="Is it much?"/>
  <informationRequirement><requiredDecision href="#d1"/></informationRequirement>
  <informationRequirement><requiredInput href="#i1"/></informationRequirement>
  <context>
    <contextEntry><variable name="share"/><literalExpression><text>Yearly / Loan.amount</text></literalExpression></contextEntry>
    <contextEntry><literalExpression><text>share > 0.05</text></literalExpression></contextEntry>
  </context></decision>
<decisionService id="s1" name="Judge"><outputDecision href="#d2"/><inputDecision href="#d1"/><inputData href="#i1"/></decisionService>
"##;

#[test]
fn decisions_are_evaluated_in_order_of_need_with_their_audit() {
    let model = model(LOAN);
    assert_eq!(model.problems(), []);
    let outcome = outcome(&model, "Is it much?", r#"{"Loan": {"amount": 1000, "interest rate": 6}}"#);
    assert_eq!(outcome.value.to_json(), "true");
    let names: Vec<&str> = outcome.audit.iter().map(|audit| &*audit.name).collect();
    assert_eq!(names, ["Yearly", "Is it much?"]);
    assert_eq!(outcome.audit[1].inputs[0].1.to_json(), "60");
}

#[test]
fn a_service_takes_its_decisions_as_arguments() {
    let model = model(LOAN);
    let json = r#"{"Loan": {"amount": 1000, "interest rate": 6}, "Yearly": 10}"#;
    assert_eq!(value(&model, "Judge", json), "false");
}

#[test]
fn an_input_of_another_type_is_null_and_says_so() {
    let model = model(LOAN);
    let outcome = outcome(&model, "Yearly", r#"{"Loan": "much"}"#);
    assert!(outcome.value.is_null());
    assert!(outcome.audit[0].warnings[0].message.contains("`Loan`"));
}

#[test]
fn a_knowledge_model_may_call_itself_but_not_without_end() {
    let body = |text: &str| {
        format!(
            r##"<businessKnowledgeModel id="b" name="f"><encapsulatedLogic><formalParameter name="n"/>
            <literalExpression><text>{text}</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>
            <decision id="d" name="r"><knowledgeRequirement><requiredKnowledge href="#b"/></knowledgeRequirement>
            <literalExpression><text>f(5)</text></literalExpression></decision>"##
        )
    };
    assert_eq!(value(&model(&body("if n = 0 then 1 else n * f(n - 1)")), "r", "{}"), "120");
    let endless = outcome(&model(&body("f(n)")), "r", "{}");
    assert!(matches!(endless.exceeded, Some(Exceeded::Depth(_))));
}

#[test]
fn imports_are_found_by_namespace_and_named_by_the_importer() {
    let imported = definitions(
        "other",
        r#"<decision id="base" name="Base rate"><literalExpression><text>3</text></literalExpression></decision>
           <businessKnowledgeModel id="twice" name="twice"><encapsulatedLogic><formalParameter name="x"/>
           <literalExpression><text>x * 2</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>"#,
    );
    let own = definitions(
        "n",
        r#"<import namespace="other" name="Rates" importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>
        <decision id="d" name="Rate"><informationRequirement><requiredDecision href="other#base"/></informationRequirement>
        <knowledgeRequirement><requiredKnowledge href="other#twice"/></knowledgeRequirement>
        <literalExpression><text>Rates.twice(Rates.Base rate) + 1</text></literalExpression></decision>"#,
    );
    let model = DecisionModel::parse(own.as_bytes(), &[imported.as_bytes()]).expect("it is XML");
    assert_eq!(model.problems(), []);
    assert_eq!(value(&model, "Rate", "{}"), "7");
}

#[test]
fn boxed_expressions_nest() {
    let model = model(
        r##"<decision id="d" name="r"><context>
        <contextEntry><variable name="rows"/><relation><column name="n"/><column name="name"/>
          <row><literalExpression><text>1</text></literalExpression><literalExpression><text>"a"</text></literalExpression></row>
          <row><literalExpression><text>2</text></literalExpression><literalExpression><text>"b"</text></literalExpression></row>
        </relation></contextEntry>
        <contextEntry><variable name="kept"/><filter><in><literalExpression><text>rows</text></literalExpression></in>
          <match><literalExpression><text>item.n > 1</text></literalExpression></match></filter></contextEntry>
        <contextEntry><variable name="names"/><for iteratorVariable="row"><in><literalExpression><text>kept</text></literalExpression></in>
          <return><literalExpression><text>row.name</text></literalExpression></return></for></contextEntry>
        <contextEntry><variable name="any"/><some iteratorVariable="x"><in><list><literalExpression><text>1</text></literalExpression></list></in>
          <satisfies><literalExpression><text>x = 1</text></literalExpression></satisfies></some></contextEntry>
        <contextEntry><variable name="f"/><functionDefinition><formalParameter name="x"/>
          <conditional><if><literalExpression><text>any</text></literalExpression></if>
          <then><literalExpression><text>x + 1</text></literalExpression></then>
          <else><literalExpression><text>0</text></literalExpression></else></conditional></functionDefinition></contextEntry>
        <contextEntry><literalExpression><text>[names, f(1)]</text></literalExpression></contextEntry>
        </context></decision>"##,
    );
    assert_eq!(model.problems(), []);
    assert_eq!(value(&model, "r", "{}"), r#"[["b"],2]"#);
}

#[test]
fn problems_have_places_and_the_rest_of_the_model_works() {
    let model = model(
        "<decision id=\"bad\" name=\"bad\">\n<literalExpression><text>1 +</text></literalExpression></decision>\n\
         <decision id=\"typed\" name=\"typed\"><variable name=\"typed\" typeRef=\"tNone\"/><literalExpression><text>1</text></literalExpression></decision>\n\
         <decision id=\"lost\" name=\"lost\"><informationRequirement><requiredInput href=\"#nowhere\"/></informationRequirement>\
         <literalExpression><text>1</text></literalExpression></decision>\n\
         <decision id=\"a\" name=\"a\"><informationRequirement><requiredDecision href=\"#b\"/></informationRequirement><literalExpression><text>b</text></literalExpression></decision>\n\
         <decision id=\"b\" name=\"b\"><informationRequirement><requiredDecision href=\"#a\"/></informationRequirement><literalExpression><text>a</text></literalExpression></decision>",
    );
    let errors: Vec<(&str, u32)> = model
        .problems()
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| (problem.element.as_str(), problem.position.line))
        .collect();
    assert!(errors.contains(&("bad", 3)), "{errors:?}");
    assert!(errors.contains(&("typed", 4)), "{errors:?}");
    assert!(errors.contains(&("lost", 5)), "{errors:?}");
    assert!(errors.iter().any(|(element, _)| *element == "a" || *element == "b"), "{errors:?}");
    assert_eq!(value(&model, "bad", "{}"), "null");
    assert_eq!(value(&model, "lost", "{}"), "1");
    assert!(model.evaluate("nobody", &(), &Clock::epoch(), &Limits::default()).is_none());
}

#[test]
fn hostile_documents_are_refused_or_answered() {
    for bytes in [&b""[..], b"<", b"<a>", b"\xff\xff", b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"] {
        assert!(DecisionModel::parse(bytes, &[]).is_err());
    }
    let deep = "<context><contextEntry>".repeat(60) + &"</contextEntry></context>".repeat(60);
    let model = model(&format!("<decision id=\"d\" name=\"d\">{deep}</decision>"));
    assert!(model.problems().iter().any(|problem| problem.message.contains("nest")));
    let circle = self::model(
        "<itemDefinition name=\"t\"><typeRef>t</typeRef></itemDefinition><inputData id=\"i\" name=\"i\"><variable name=\"i\" typeRef=\"t\"/></inputData>",
    );
    assert_eq!(circle.elements().count(), 1);
}

#[test]
fn types_that_use_each_other_twice_are_made_once_each() {
    let pair = |name: &str, other: &str| {
        let part =
            |part: &str| format!("<itemComponent name=\"{part}\"><typeRef>{other}</typeRef></itemComponent>");
        format!("<itemDefinition name=\"{name}\">{}{}</itemDefinition>", part("left"), part("right"))
    };
    let input = "<inputData id=\"i\" name=\"i\"><variable name=\"i\" typeRef=\"t0\"/></inputData>
        <decision id=\"d\" name=\"d\"><informationRequirement><requiredInput href=\"#i\"/></informationRequirement>
        <literalExpression><text>i.left.right</text></literalExpression></decision>";
    let chain: String =
        (0..5_000).map(|number| pair(&format!("t{number}"), &format!("t{}", number + 1))).collect();
    let tree = pair("t0", "t0");
    for types in [chain, tree] {
        let model = model(&(types + input));
        let json =
            r#"{"i": {"left": {"left": null, "right": {"left": null, "right": null}}, "right": null}}"#;
        assert_eq!(value(&model, "d", json), r#"{"left":null,"right":null}"#);
        // The second level lacks an entry.
        assert_eq!(value(&model, "d", r#"{"i": {"left": {"right": null}, "right": null}}"#), "null");
    }
}

#[test]
fn a_model_of_many_elements_takes_no_more_than_its_size() {
    let count = 10_000;
    let decisions: String = (0..count)
        .map(|number: i32| {
            let before = number - 1;
            let (need, text) = match number {
                0 => (String::new(), "1".to_owned()),
                _ => (
                    format!("<informationRequirement><requiredDecision href=\"#d{before}\"/></informationRequirement>"),
                    format!("step {before} + 1"),
                ),
            };
            format!(
                "<decision id=\"d{number}\" name=\"step {number}\">{need}<literalExpression><text>{text}</text></literalExpression></decision>"
            )
        })
        .collect();
    let model = model(&decisions);
    assert_eq!(value(&model, &format!("step {}", count - 1), "{}"), count.to_string());
    assert_eq!(value(&model, "step 3", "{}"), "4");
}

#[test]
fn requirements_in_a_circle_are_dropped_where_it_closes() {
    let decision = |id: &str, needs: &[&str]| {
        let needs: String = needs
            .iter()
            .map(|need| {
                format!(
                    "<informationRequirement><requiredDecision href=\"#{need}\"/></informationRequirement>"
                )
            })
            .collect();
        format!(
            "<decision id=\"{id}\" name=\"{id}\">{needs}<literalExpression><text>1</text></literalExpression></decision>"
        )
    };
    let all = [
        decision("a", &["b", "c"]),
        decision("b", &["c", "a", "d"]),
        decision("c", &["b"]),
        decision("d", &[]),
    ];
    let model = model(&all.concat());
    let circles: Vec<_> =
        model.problems().iter().map(|problem| (&*problem.element, &*problem.message)).collect();
    let back = |name: &str| format!("the requirement of `{name}` leads back to where it started");
    assert_eq!(circles, [("c", &*back("b")), ("b", &*back("a"))]);
    let audit = outcome(&model, "a", "{}").audit;
    assert_eq!(audit.iter().map(|step| &*step.id).collect::<Vec<_>>(), ["c", "d", "b", "a"]);
}
