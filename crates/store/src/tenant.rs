//! Whose it is: every name that a person gives belongs to a tenant.
//!
//! **Invariant:** a definition belongs to one tenant, and an instance to the tenant of its definition, for ever.
//! **Invariant:** whoever asks with another tenant is told what they would be told if it were not there.

use std::fmt;
use std::sync::Arc;

/// Whose it is. The default tenant has no name: a program that knows nothing of tenants has that one.
///
/// ```
/// use tyer_store::Tenant;
/// assert_eq!(Tenant::from(""), Tenant::default());
/// assert_eq!(Tenant::from("acme").as_str(), "acme");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant(Option<Arc<str>>);

/// The tenant without a name.
pub static DEFAULT_TENANT: Tenant = Tenant(None);

impl Tenant {
    /// Its name; the default tenant's is empty.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<&str> for Tenant {
    fn from(name: &str) -> Tenant {
        Tenant((!name.is_empty()).then(|| Arc::from(name)))
    }
}

impl From<String> for Tenant {
    fn from(name: String) -> Tenant {
        Tenant::from(name.as_str())
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
