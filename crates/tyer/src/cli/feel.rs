//! `tyer feel`: one expression, one answer.

use tyer_engine::Variables;
use tyer_feel::{Clock, Expression, Names};

use super::exit::{Exit, Stop};
use super::output;

#[derive(clap::Args)]
pub(crate) struct Feel {
    /// A FEEL expression, such as 'amount * 1.19'
    expression: String,
    /// Its variables, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    vars: String,
}

impl Feel {
    pub(crate) fn go(self) -> Result<(), Stop> {
        let variables = Variables::parse(&self.vars)
            .map_err(|error| Stop::new(Exit::Usage, format!("--vars: {error}")))?;
        let mut names = Names::new();
        variables.iter().for_each(|(name, _)| names.declare(name));
        let expression = Expression::parse(&self.expression, &names)
            .map_err(|error| Stop::new(Exit::Validation, format!("not an expression: {error}")))?;
        let evaluation = expression.evaluate(&variables, &Clock::utc(jiff::Timestamp::now()));
        for warning in &evaluation.warnings {
            eprintln!("tyer: {warning}");
        }
        if let Some(limit) = evaluation.exceeded {
            return Err(Stop::new(Exit::Failure, limit.to_string()));
        }
        output::line(&evaluation.value.to_json());
        Ok(())
    }
}
