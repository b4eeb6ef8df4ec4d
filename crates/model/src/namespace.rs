//! The namespaces that mean something here.

use tyer_xml::{Element, Name};

/// BPMN 2.0 itself.
pub(crate) const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";
/// What BPMN lacks and Tyer offers.
pub(crate) const TYER: &str = "urn:tyer:bpmn:1";
/// Executed natively.
pub(crate) const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";
/// Four dialects of one vocabulary, mapped.
pub(crate) const MAPPED: [&str; 4] = [
    "http://camunda.org/schema/1.0/bpmn",
    "http://operaton.org/schema/1.0/bpmn",
    "http://flowable.org/bpmn",
    "http://activiti.org/bpmn",
];

/// Whether a file speaks one of the mapped dialects.
pub(crate) fn is_mapped(root: Element<'_>) -> bool {
    root.declarations().any(|(_, namespace)| MAPPED.contains(&namespace))
}

/// The BPMN elements of one name directly inside an element.
pub(crate) fn bpmn_children<'d>(
    element: Element<'d>,
    local: &'static str,
) -> impl Iterator<Item = Element<'d>> {
    element.children().filter(move |child| child.is(BPMN, local))
}

/// The extension elements of an element.
pub(crate) fn extensions<'d>(element: Element<'d>) -> impl Iterator<Item = Element<'d>> {
    bpmn_children(element, "extensionElements").flat_map(Element::children)
}

/// The first extension element with this name.
pub(crate) fn extension<'d>(element: Element<'d>, namespace: &str, local: &str) -> Option<Element<'d>> {
    extensions(element).find(|extension| extension.is(namespace, local))
}

/// An attribute in any of the mapped dialects.
pub(crate) fn mapped_attribute<'d>(element: Element<'d>, local: &str) -> Option<&'d str> {
    let mut written = element.attributes();
    let is_asked = |name: Name<'_>| name.local == local && MAPPED.contains(&name.namespace);
    written.find(|attribute| is_asked(attribute.name)).map(|attribute| attribute.value)
}

/// An extension element in any of the mapped dialects.
pub(crate) fn mapped_extension<'d>(element: Element<'d>, local: &str) -> Option<Element<'d>> {
    extensions(element).find(|extension| {
        let name = extension.name();
        name.local == local && MAPPED.contains(&name.namespace)
    })
}
