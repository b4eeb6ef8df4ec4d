//! Function definitions, boxed or as the logic of a knowledge model.

use super::Reader;
use crate::definitions::children;
use crate::problem::Severity;
use tyer_feel::Value;
use tyer_feel::ast::{Expr, Kind, Parameter};
use tyer_xml::Element;

impl Reader<'_> {
    /// A function definition; its declared type is that of its result.
    pub(crate) fn function(&mut self, element: Element<'_>) -> Expr {
        let parameters = self.parameters(element);
        if !matches!(element.attribute("kind"), None | Some("FEEL" | "feel:FEEL" | "F")) {
            let message = format!(
                "functions of kind `{}` are not run; they are null",
                element.attribute("kind").unwrap_or_default()
            );
            self.problem(element, Severity::Warning, &message);
            return Expr::new(Kind::External(parameters, Box::new(Expr::new(Kind::Literal(Value::Null)))));
        }
        let body = self.inside(element).unwrap_or_else(|| Expr::new(Kind::Literal(Value::Null)));
        let body = self.typed(element, body);
        Expr::new(Kind::Function(parameters, Box::new(body)))
    }

    fn parameters(&mut self, element: Element<'_>) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for parameter in children(element, "formalParameter") {
            let kind = match self.types.of_attribute(self.document, parameter) {
                Ok(kind) => kind,
                Err(message) => {
                    self.problem(parameter, Severity::Error, &message);
                    None
                }
            };
            parameters.push(Parameter {
                name: parameter.attribute("name").unwrap_or_default().trim().into(),
                kind,
            });
        }
        parameters
    }
}
