//! What the generator may draw with, and how large.
//!
//! **Invariant:** a process holds nothing whose feature was taken off the palette.

/// Something that a process may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of BPMN")]
pub enum Feature {
    Service,
    OtherJobs,
    User,
    Receive,
    Script,
    Call,
    Exclusive,
    Parallel,
    Inclusive,
    Complex,
    EventBased,
    ConditionalActivity,
    Loops,
    Embedded,
    EventSubProcess,
    Transaction,
    AdHoc,
    MultiInstance,
    StandardLoop,
    Boundary,
    NonInterrupting,
    CatchEvents,
    ThrowEvents,
    Message,
    Timer,
    TimerCycle,
    Error,
    Escalation,
    Compensation,
    Conditional,
    Link,
    Signal,
    Terminate,
    Multiple,
    MergeModes,
    Quantities,
    OtherStarts,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Feature; 37] = [
        Feature::Service,
        Feature::OtherJobs,
        Feature::User,
        Feature::Receive,
        Feature::Script,
        Feature::Call,
        Feature::Exclusive,
        Feature::Parallel,
        Feature::Inclusive,
        Feature::Complex,
        Feature::EventBased,
        Feature::ConditionalActivity,
        Feature::Loops,
        Feature::Embedded,
        Feature::EventSubProcess,
        Feature::Transaction,
        Feature::AdHoc,
        Feature::MultiInstance,
        Feature::StandardLoop,
        Feature::Boundary,
        Feature::NonInterrupting,
        Feature::CatchEvents,
        Feature::ThrowEvents,
        Feature::Message,
        Feature::Timer,
        Feature::TimerCycle,
        Feature::Error,
        Feature::Escalation,
        Feature::Compensation,
        Feature::Conditional,
        Feature::Link,
        Feature::Signal,
        Feature::Terminate,
        Feature::Multiple,
        Feature::MergeModes,
        Feature::Quantities,
        Feature::OtherStarts,
    ];
}

/// What the generator draws, and how large.
#[derive(Clone, Debug)]
pub struct Options {
    features: Vec<Feature>,
    /// At most so many nodes, all levels together.
    pub most_nodes: usize,
    /// At most so many blocks inside one another.
    pub most_depth: usize,
    /// Some processes may meet an incident although the driver does nothing wrong.
    pub may_be_unsound: bool,
}

impl Options {
    /// Everything that can be drawn.
    pub fn all() -> Options {
        Options::of(&Feature::ALL)
    }

    /// These features alone.
    pub fn of(features: &[Feature]) -> Options {
        Options { features: features.to_vec(), most_nodes: 60, most_depth: 5, may_be_unsound: true }
    }

    /// Everything but this.
    pub fn without(mut self, feature: Feature) -> Options {
        self.features.retain(|other| *other != feature);
        self
    }

    /// The feature may be drawn.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
}
