//! Sub-processes: embedded, event, transaction, ad-hoc; terminate.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

fn nested() -> Blueprint {
    process("s:start u:sub i:start/u f:and/u a:job/u b:job/u z:end/u e:end s>u i>f f>a f>b a>z b>z u>e")
}

fn handled(start: &str) -> Blueprint {
    process(&format!(
        "s:start a:job b:job f:and e:end h:handle i:{start}/h c:job/h d:end/h s>f f>a f>b a>e b>e i>c c>d"
    ))
}

#[test]
fn a_sub_process_completes_when_nothing_is_left_in_it() {
    accepts(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 . -b@1 z@1 }1 -u e $");
    refuses(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 -u", "still runs");
    refuses(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 }1 .", "nothing has happened");
    refuses(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 . -b@1 z@1 .", "is not closed");
    refuses(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 . -b@1 z@1 }1 .", "has not completed");
}

#[test]
fn the_end_of_a_scope_may_be_told_after_its_activity() {
    accepts(&nested(), "s +u {1:u i@1 f@1 +a@1 +b@1 . -a@1 z@1 . -b@1 z@1 -u }1 e $");
}

#[test]
fn a_sub_process_opens_one_scope() {
    refuses(&nested(), "s +u {1:u {2:u", "`u` opens no scope");
    refuses(&nested(), "s +u .", "has not opened its scope");
}

#[test]
fn a_node_runs_in_the_scope_that_it_stands_in() {
    refuses(&nested(), "s +u {1:u i@1 f@1 +a", "no token leads to `a` in scope 0");
}

#[test]
fn terminate_ends_its_scope_and_no_other() {
    let net = process(
        "s:start g:and o:job u:sub i:start/u f:and/u a:job/u z:terminate/u y:end/u e:end
         s>g g>u g>o i>f f>a f>z a>y u>e o>e",
    );
    accepts(&net, "s g +o +u {1:u i@1 f@1 +a@1 z@1 xa@1 }1 -u e . -o e $");
    refuses(&net, "s g +o +u {1:u i@1 f@1 +a@1 z@1 .", "a token in `a` in scope 1 is not cancelled");
    refuses(&net, "s g +o +u {1:u i@1 f@1 +a@1 z@1 xa@1 xo }1 -u e .", "nothing has happened");
}

#[test]
fn an_interrupting_event_sub_process_takes_over() {
    let net = handled("on=message");
    accepts(&net, "s f +a +b . !h xa xb {1:h i@1 +c@1 . -c@1 d@1 }1 $");
    refuses(&net, "s f +a +b . !h xa {1:h i@1 +c@1 .", "a token in `b` in scope 0 is not cancelled");
    refuses(&net, "s f +a +b . !h xa xb {1:h i@1 +c@1 . !h", "its scope was interrupted");
}

#[test]
fn an_event_sub_process_beside_runs_along() {
    let net = handled("beside=message");
    accepts(
        &net,
        "s f +a +b . !h {1:h i@1 +c@1 . !h {2:h i@2 +c@2 . -a e . -c@2 d@2 }2 . -b e . -c@1 d@1 }1 $",
    );
    refuses(&net, "s f +a +b . !h {1:h i@1 +c@1 . -a e . -b e $", "a token in");
}

#[test]
fn an_event_sub_process_catches_what_its_scope_throws() {
    let net = handled("on=error");
    accepts(&net, "s f +a +b . ^a=E !h xa xb {1:h i@1 +c@1 . -c@1 d@1 }1 $");
    refuses(&net, "s f +a +b . !h", "nothing was thrown");
}

#[test]
fn a_scope_may_be_the_first_that_is_told_of_an_event_sub_process() {
    accepts(&handled("on=message"), "s f +a +b . {1:h xa xb i@1 +c@1 . -c@1 d@1 }1 $");
}

#[test]
fn an_event_on_a_sub_process_ends_all_that_is_inside() {
    let net = process(
        "s:start u:sub i:start/u v:sub/u j:start/v a:job/v y:end/v z:end/u t:timer@u b:job e:end
         s>u i>v j>a a>y v>z u>e t>b b>e",
    );
    accepts(&net, "s +u {1:u i@1 +v@1 {2:v@1 j@2 +a@2 . !t xa@2 xv@1 xu }2 }1 -t +b . -b e $");
    refuses(&net, "s +u {1:u i@1 +v@1 {2:v@1 j@2 +a@2 . !t xu -t +b .", "is not cancelled");
    refuses(&net, "s +u {1:u i@1 +v@1 {2:v@1 j@2 +a@2 . !t xa@2 xv@1 xu -t +b . -a@2", "scope 2 is not open");
}

#[test]
fn an_ad_hoc_sub_process_runs_what_is_asked_until_it_is_enough() {
    let net = process("s:start u:adhoc=done a:job/u b:job/u e:end s>u u>e");
    accepts(&net, "done=false s +u {1:u +b@1 . -b@1 +a@1 . done=true -a@1 }1 -u e $");
    refuses(&net, "done=false s +u {1:u +b@1 +a@1", "no token leads to `a`");
    refuses(&net, "done=false s +u {1:u +b@1 . done=true -b@1 .", "is not closed");
}
