//! What the reader makes of documents, good and hostile.

use std::fmt::Write;

use tyer_xml::{Document, Error, Limits, Node, Position};

fn parse(text: &str) -> Result<Document, Error> {
    Document::parse(text.as_bytes(), &Limits::default())
}

fn refusal(text: &str) -> Error {
    match parse(text) {
        Ok(_) => panic!("must be refused: {}", text.chars().take(80).collect::<String>()),
        Err(error) => error,
    }
}

#[test]
fn names_attributes_text_and_positions_are_kept() {
    let document = parse(
        "<?xml version=\"1.0\"?>\n<a xmlns=\"urn:a\" xmlns:b=\"urn:b\">\n  <b:c d=\"1\" b:d=\"2\">x<!-- y -->z</b:c>\n</a>\n",
    )
    .expect("it is well-formed");
    let child = document.root().child("urn:b", "c").expect("c is there");
    assert_eq!(child.position(), Position { line: 3, column: 3 });
    assert_eq!((child.attribute("d"), child.attribute_ns("urn:b", "d")), (Some("1"), Some("2")));
    assert_eq!(child.text(), "xz");
    assert_eq!(child.source(), "<b:c d=\"1\" b:d=\"2\">x<!-- y -->z</b:c>");
    assert_eq!(child.parent(), Some(document.root()));
    assert_eq!(child.namespace_of("b"), Some("urn:b"));
    assert_eq!(document.root().nodes().count(), 1, "blanks between elements are left out");
    assert_eq!(document.root().subtree().count(), 2);
    assert!(matches!(child.nodes().nth(1), Some(Node::Comment(" y "))));
}

#[test]
fn text_is_one_node_however_it_is_written() {
    let document = parse("<a>1 &lt; 2<![CDATA[ & <3>]]>\r\n&#65; </a>").expect("it is well-formed");
    assert_eq!(document.root().text(), "1 < 2 & <3>\nA ");
    assert_eq!(document.root().nodes().count(), 1);
    assert_eq!(parse("<a> </a>").expect("it is well-formed").root().text(), " ");
}

#[test]
fn what_is_not_well_formed_is_refused_where_it_stands() {
    for (text, line, column) in [
        ("", 1, 1),
        ("<a>\n<b></a>", 2, 4),
        ("<a/>\n<b/>", 2, 1),
        ("<a/>\nx", 1, 5),
        ("<a>", 1, 4),
        ("<a b='1' b='2'/>", 1, 3),
        ("<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'/>", 1, 3),
        ("<a>\n <x:b/></a>", 2, 2),
        ("<a b='&nbsp;'/>", 1, 7),
        ("<a>&nbsp;</a>", 1, 4),
        ("<a>\u{1}</a>", 1, 4),
        ("<1a/>", 1, 1),
        ("<a b/>", 1, 4),
        ("<a><?xml version='1.0'?></a>", 1, 4),
    ] {
        let error = refusal(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    }
}

#[test]
fn a_doctype_is_refused_so_entities_cannot_be_defined() {
    let bomb = "<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;\">]><a>&y;</a>";
    assert!(refusal(bomb).message.contains("DOCTYPE"));
    let theft = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
    assert!(refusal(theft).message.contains("DOCTYPE"));
}

#[test]
fn limits_stop_depth_size_nodes_and_attributes() {
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    assert!(refusal(&deep).message.contains("deeper"));
    let mut wide = "<a".to_owned();
    for number in 0..50_000 {
        write!(wide, " b{number}=''").expect("strings take everything");
    }
    assert!(refusal(&(wide + "/>")).message.contains("attributes"));
    let limits = Limits { bytes: 10, ..Limits::default() };
    assert!(Document::parse(b"<aaaaaaaaa/>", &limits).is_err());
    let limits = Limits { nodes: 2, ..Limits::default() };
    assert!(Document::parse(b"<a><b/><c/></a>", &limits).is_err());
}

#[test]
fn many_declarations_references_and_texts_take_linear_time() {
    let declarations: String = (0..900).map(|number| format!(" xmlns:n{number}='u{number}'")).collect();
    let nested = format!("<a{declarations}>").repeat(200) + &"<n5:b/>".repeat(100_000) + &"</a>".repeat(200);
    parse(&nested).expect("prefixes are found at once");
    let mixed = format!("<a>{}</a>", "x&amp;<![CDATA[y]]>".repeat(300_000));
    assert_eq!(parse(&mixed).expect("text is joined").root().text().len(), 900_000);
    refusal(&format!("<a>{}</a>", "&".repeat(1_000_000)));
    refusal(&format!("<a b='{}'/>", "&".repeat(1_000_000)));
    refusal(&"<".repeat(1_000_000));
    refusal(&format!("<a>{}", "<!--".repeat(1_000_000)));
}

#[test]
fn every_prefix_of_a_document_and_every_changed_byte_is_survived() {
    let text = "<?xml version=\"1.0\" encoding='utf-8'?><a xmlns:b='u'><b:c d=\"&lt;ä\">x&#65;<![CDATA[]]></b:c><!-- --><?p?></a>";
    for end in 0..text.len() {
        let _ = Document::parse(&text.as_bytes()[..end], &Limits::default());
    }
    let mut bytes = text.as_bytes().to_vec();
    for position in 0..bytes.len() {
        let before = bytes[position];
        for changed in [0, b'<', b'>', b'&', b'"', b'\'', b']', b':', 0xFF, b'!'] {
            bytes[position] = changed;
            if let Ok(document) = Document::parse(&bytes, &Limits::default()) {
                for element in document.root().subtree() {
                    let _ = (element.text(), element.source(), element.attributes().count());
                }
            }
        }
        bytes[position] = before;
    }
}
