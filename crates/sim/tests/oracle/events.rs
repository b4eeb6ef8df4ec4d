//! Boundary events, errors, escalations.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

fn deadline(event: &str) -> Blueprint {
    process(&format!("s:start a:user t:{event} b:job e:end s>a a>e t>b b>e"))
}

fn thrower(throw: &str, events: &str) -> Blueprint {
    process(&format!("s:start u:sub i:start/u x:{throw}/u {events} h:job d:end e:end s>u i>x u>e t>h h>d"))
}

#[test]
fn an_interrupting_event_ends_its_activity() {
    accepts(&deadline("timer@a"), "s +a . !t xa t +b . -b e $");
    accepts(&deadline("timer@a"), "s +a . xa !t -t +b . -b e $");
    refuses(&deadline("timer@a"), "s +a . !t -t +b .", "is not cancelled");
    refuses(&deadline("timer@a"), "s +a . !t xa -t +b . -a", "`a` is not active");
}

#[test]
fn an_event_does_not_fire_after_its_activity_completed() {
    refuses(&deadline("timer@a"), "s +a . -a e !t", "`a` is not active");
}

#[test]
fn an_event_beside_its_activity_leaves_it_running() {
    accepts(&deadline("message~a"), "s +a . !t -t +b . !t -t +b . -a e . -b e . -b e $");
    refuses(&deadline("message~a"), "s +a . !t -t +b xa .", "nothing has happened that would cause it");
}

#[test]
fn a_timer_fires_as_often_as_it_says() {
    refuses(&deadline("timer~a"), "s +a . !t -t +b . !t", "has fired 1 times");
    accepts(&deadline("twice~a"), "s +a . !t -t +b . !t -t +b .");
    refuses(&deadline("twice~a"), "s +a . !t -t +b . !t -t +b . !t", "has fired 2 times");
}

#[test]
fn an_error_event_fires_only_if_an_error_was_thrown() {
    accepts(&deadline("error=E@a"), "s +a . ^a=E !t xa -t +b . -b e $");
    refuses(&deadline("error=E@a"), "s +a . !t", "nothing was thrown");
    refuses(&deadline("error=E@a"), "s +a . ^a=F !t", "nothing was thrown");
    accepts(&deadline("error@a"), "s +a . ^a=F !t xa -t +b . -b e $");
}

#[test]
fn an_error_that_can_be_caught_is_caught_in_the_same_turn() {
    refuses(&deadline("error=E@a"), "s +a . ^a=E .", "`t` has not fired");
}

#[test]
fn an_error_end_reaches_the_event_on_its_sub_process() {
    let net = thrower("fail=E", "t:error=E@u");
    accepts(&net, "s +u {1:u i@1 +x@1 !t xu }1 -t +h . -h d $");
    refuses(&net, "s +u {1:u i@1 +x@1 -x@1 }1 -u", "`u` cannot complete");
}

#[test]
fn the_exact_code_is_nearer_than_any_code() {
    let net = process(
        "s:start u:sub i:start/u x:fail=E/u any:error@u t:error=E@u h:job g:job d:end e:end
         s>u i>x u>e t>h h>d any>g g>d",
    );
    accepts(&net, "s +u {1:u i@1 +x@1 !t xu -t +h . -h d $");
    refuses(&net, "s +u {1:u i@1 +x@1 !any", "nothing was thrown");
}

#[test]
fn the_inner_catcher_is_nearer_than_the_outer_one() {
    let net = process(
        "s:start o:sub oi:start/o u:sub/o i:start/u x:fail=E/u t:error@u h:job/o d:end/o oe:end/o
         far:error@o g:job e:end s>o oi>u i>x t>h h>d u>oe o>e far>g g>e",
    );
    accepts(&net, "s +o {1:o oi@1 +u@1 {2:u@1 i@2 +x@2 !t@1 xu@1 t@1 +h@1 . -h@1 d@1 }1 -o e $");
    refuses(&net, "s +o {1:o oi@1 +u@1 {2:u@1 i@2 +x@2 !far", "nothing was thrown");
}

#[test]
fn an_escalation_beside_lets_the_sub_process_go_on() {
    let net = process(
        "s:start u:sub i:start/u x:throw=L/u w:job/u ue:end/u t:escalation=L~u h:job d:end e:end
         s>u i>x x>w w>ue u>e t>h h>d",
    );
    accepts(&net, "s +u {1:u i@1 +x@1 !t -t +h -x@1 +w@1 . -w@1 ue@1 }1 -u e . -h d $");
    refuses(&net, "s +u {1:u i@1 x@1 +w@1 .", "`t` has not fired");
}

#[test]
fn an_escalation_that_nobody_catches_is_no_matter() {
    let net = thrower("escalate=L", "t:message@u");
    accepts(&net, "s +u {1:u i@1 x@1 }1 -u e $");
}

#[test]
fn a_boundary_event_may_be_told_by_its_start() {
    accepts(&deadline("timer@a"), "s +a . +t xa -t +b . -b e $");
    refuses(&deadline("timer@a"), "s +a . !t +t +t", "`a` is not active");
}
