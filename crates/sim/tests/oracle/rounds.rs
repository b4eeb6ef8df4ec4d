//! Multi-instance and loops.

use crate::notation::{accepts, process, refuses};

#[test]
fn several_instances_run_at_once() {
    let net = process("s:start a:job*2 e:end s>a a>e");
    accepts(&net, "s +a {1:a {2:a +a@1 +a@2 . -a@2 }2 . -a@1 }1 -a e $");
    refuses(&net, "s +a {1:a {2:a {3:a", "opens no scope");
    refuses(&net, "s +a {1:a .", "has not opened its scope");
    refuses(&net, "s +a {1:a {2:a . }1 -a", "`a` cannot complete");
}

#[test]
fn several_instances_run_one_after_the_other() {
    let net = process("s:start a:job%2 e:end s>a a>e");
    accepts(&net, "s +a {1:a . }1 {2:a . }2 -a e $");
    refuses(&net, "s +a {1:a {2:a", "opens no scope");
    refuses(&net, "s +a {1:a . }1 -a", "it has rounds left");
    refuses(&net, "s +a {1:a . }1 .", "has not opened its scope");
}

#[test]
fn no_instances_at_all_are_done_at_once() {
    let net = process("s:start a:job*0 e:end s>a a>e");
    accepts(&net, "s a e $");
    refuses(&net, "s +a .", "has not completed");
}

#[test]
fn enough_instances_end_the_rest() {
    let net = process("s:start a:job*3.enough e:end s>a a>e");
    accepts(
        &net,
        "enough=false s +a {1:a {2:a {3:a +a@1 +a@2 +a@3 . enough=true -a@2 }2 xa@1 xa@3 }1 }3 -a e $",
    );
    refuses(&net, "enough=false s +a {1:a {2:a {3:a +a@1 +a@2 +a@3 . -a@2 }2 xa@1 .", "nothing has happened");
    refuses(&net, "enough=true s +a {1:a {2:a {3:a +a@1 +a@2 +a@3 . -a@2 }2 .", "is not cancelled");
}

#[test]
fn an_event_on_several_instances_ends_them_all() {
    let net = process("s:start a:job*2 t:timer@a b:job e:end s>a a>e t>b b>e");
    accepts(&net, "s +a {1:a {2:a +a@1 +a@2 . !t xa@1 xa@2 xa }1 }2 -t +b . -b e $");
    refuses(&net, "s +a {1:a {2:a +a@1 +a@2 . !t xa@1 xa -t +b .", "is not cancelled");
    refuses(&net, "s +a {1:a {2:a +a@1 +a@2 . !t@1", "`a` is not active in scope 1");
}

#[test]
fn an_error_in_one_instance_reaches_the_event_on_all() {
    let net = process("s:start a:job*2 t:error@a b:job e:end s>a a>e t>b b>e");
    accepts(&net, "s +a {1:a {2:a +a@1 +a@2 . ^a@1=E !t xa@1 xa@2 xa -t +b . -b e $");
}

#[test]
fn a_loop_goes_on_as_long_as_its_condition_holds() {
    let net = process("s:start a:job&again e:end s>a a>e");
    accepts(&net, "again=true s +a {1:a . }1 {2:a . again=false }2 -a e $");
    refuses(&net, "again=true s +a {1:a . }1 -a", "it has rounds left");
    refuses(&net, "again=false s +a {1:a . }1 {2:a", "opens no scope");
}

#[test]
fn a_sub_process_of_several_instances_has_a_scope_for_each() {
    let net = process("s:start u:sub*2 i:start/u a:job/u z:end/u e:end s>u i>a a>z u>e");
    accepts(&net, "s +u {1:u i@1 +a@1 {2:u i@2 +a@2 . -a@2 z@2 }2 . -a@1 z@1 }1 -u e $");
    refuses(&net, "s +u {1:u i@1 +a@1 {2:u i@2 +a@2 . -a@2 z@2 }2 -u", "still runs");
}
