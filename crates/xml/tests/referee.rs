//! Another reader of XML is asked for its opinion: what we accept, it accepts and reads the same.

use quick_xml::events::{BytesStart, Event};
use tyer_xml::{Document, Element, Limits, Node};

/// What a document says, without how it says it.
#[derive(Debug, PartialEq)]
enum Said {
    Start(String, Vec<(String, String)>),
    Text(String),
    Comment(String),
    Instruction(String),
    End,
}

const SAMPLES: [&str; 4] = [
    "<?xml version=\"1.0\" encoding='utf-8'?>\n<a xmlns:b='u' x = \"1\"\ty='2'>\n<b:c d=\"&lt;ä&#65;\" />x&#65;<![CDATA[ ]<]]></a>",
    "<a><!-- note --><?p q?><b/> <b>  </b>\r\n<c>1 &gt; 0<![CDATA[&amp;]]> </c><d></d ></a>\n<!-- end -->",
    "<p:a xmlns:p=\"u\" p:x='a\nb'><p:a><p:b><p:c/></p:b></p:a>text<p:d>deep</p:d >tail</p:a>",
    "<a b='\"' c=\"'\" d=''>&apos;&quot;&amp;<e>]]</e><f g='1'h='2'/></a>",
];

#[test]
fn what_is_accepted_is_read_as_the_referee_reads_it() {
    let mut accepted = 0;
    for sample in SAMPLES {
        accepted += usize::from(agree(sample));
        let bytes = sample.as_bytes();
        for position in 0..bytes.len() {
            for changed in b"<>/&\"'=!?-[]: a\n;#x".iter().map(Some).chain([None]) {
                let mut other = bytes.to_vec();
                match changed {
                    Some(byte) => other[position] = *byte,
                    None => drop(other.remove(position)),
                }
                if let Ok(text) = std::str::from_utf8(&other) {
                    accepted += usize::from(agree(text));
                }
            }
        }
    }
    assert!(accepted > 1_000, "only {accepted} documents were accepted at all");
}

/// Whether the document is accepted.
fn agree(text: &str) -> bool {
    let Ok(document) = Document::parse(text.as_bytes(), &Limits::default()) else { return false };
    let mut ours = Vec::new();
    said_by_us(document.root(), &mut ours);
    let theirs = said_by_the_referee(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(ours, theirs, "{text:?}");
    true
}

fn said_by_us(element: Element<'_>, said: &mut Vec<Said>) {
    let qualified = |prefix: &str, local: &str| match prefix {
        "" => local.to_owned(),
        prefix => format!("{prefix}:{local}"),
    };
    let declared = element.declarations().map(|(prefix, namespace)| match prefix {
        "" => ("xmlns".to_owned(), namespace.to_owned()),
        prefix => (format!("xmlns:{prefix}"), namespace.to_owned()),
    });
    let written = element.attributes().map(|a| (qualified(a.prefix, a.name.local), a.value.to_owned()));
    let mut attributes: Vec<_> = declared.chain(written).collect();
    attributes.sort();
    said.push(Said::Start(qualified(element.prefix(), element.local_name()), attributes));
    for node in element.nodes() {
        match node {
            Node::Element(child) => said_by_us(child, said),
            Node::Text(text) if text.trim_ascii().is_empty() => {}
            Node::Text(text) => said.push(Said::Text(text.to_owned())),
            Node::Comment(text) => said.push(Said::Comment(text.to_owned())),
            Node::Instruction(text) => said.push(Said::Instruction(text.to_owned())),
        }
    }
    said.push(Said::End);
}

fn said_by_the_referee(text: &str) -> Result<Vec<Said>, Box<dyn std::error::Error>> {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let (mut said, mut text, mut depth) = (Vec::new(), String::new(), 0);
    loop {
        let event = reader.read_event()?;
        let is_text = matches!(event, Event::Text(_) | Event::CData(_) | Event::GeneralRef(_));
        if !is_text {
            let whole = std::mem::take(&mut text);
            said.extend(Some(whole).filter(|whole| !whole.trim_ascii().is_empty()).map(Said::Text));
        }
        match event {
            Event::Start(tag) => {
                said.push(start(&tag)?);
                depth += 1;
            }
            Event::Empty(tag) => said.extend([start(&tag)?, Said::End]),
            Event::End(_) => {
                said.push(Said::End);
                depth -= 1;
            }
            Event::Text(piece) => text += &lines(&piece),
            Event::CData(piece) => text += &lines(&piece),
            Event::GeneralRef(name) => text += &quick_xml::escape::unescape(&format!("&{};", &*name))?,
            Event::Comment(note) if depth > 0 => said.push(Said::Comment(note.to_string())),
            Event::PI(content) if depth > 0 => said.push(Said::Instruction(format!("<?{}?>", &*content))),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::DocType(_) => return Err("DOCTYPE".into()),
            Event::Eof => return Ok(said),
        }
    }
}

fn start(tag: &BytesStart<'_>) -> Result<Said, Box<dyn std::error::Error>> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute?;
        let spaced = lines(&attribute.value).replace(['\n', '\t'], " ");
        attributes.push((
            attribute.key.into_inner().to_owned(),
            quick_xml::escape::unescape(&spaced)?.into_owned(),
        ));
    }
    attributes.sort();
    Ok(Said::Start(tag.name().into_inner().to_owned(), attributes))
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
