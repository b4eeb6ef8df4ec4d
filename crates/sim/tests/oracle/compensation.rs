//! Compensation and cancelled transactions.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

/// Two steps that can be undone, and an event that undoes.
fn two_steps(throw: &str) -> Blueprint {
    process(&format!(
        "s:start a:job ua:undone@a ha:job<ua b:job ub:undone@b hb:job<ub c:{throw} e:end s>a a>b b>c c>e"
    ))
}

fn transaction() -> Blueprint {
    process(
        "s:start u:transaction i:start/u a:job/u ua:undone@a ha:job<ua/u b:job/u ub:undone@b hb:job<ub/u
         g:and/u w:job/u c:cancel/u z:end/u t:cancel@u d:job e:end
         s>u i>a a>b b>g g>w g>c w>z u>e t>d d>e",
    )
}

#[test]
fn what_completed_is_undone_backwards() {
    let net = two_steps("undo");
    accepts(&net, "s +a . -a +b . -b +c +hb . -hb +ha . -ha -c e $");
    refuses(&net, "s +a . -a +b . -b +c +ha", "undoing goes backwards");
}

#[test]
fn handlers_run_one_at_a_time_and_all_of_them() {
    let net = two_steps("undo");
    refuses(&net, "s +a . -a +b . -b +c +hb +ha", "undoing goes backwards");
    refuses(&net, "s +a . -a +b . -b +c +hb . -hb -c", "not everything is undone");
    refuses(&net, "s +a . -a +b . -b +c .", "does not go on undoing");
}

#[test]
fn a_step_is_undone_once() {
    let net = two_steps("undo");
    refuses(&net, "s +a . -a +b . -b +c +hb . -hb +ha . -ha +ha", "undoing goes backwards");
}

#[test]
fn a_step_that_is_named_is_undone_alone() {
    let net = two_steps("undo=a");
    accepts(&net, "s +a . -a +b . -b +c +ha . -ha -c e $");
    refuses(&net, "s +a . -a +b . -b +c +hb", "undoing goes backwards");
}

#[test]
fn what_did_not_complete_is_not_undone() {
    let net = process("s:start f:and a:job ua:undone@a ha:job<ua b:job c:undo e:end s>f f>a f>b b>c a>e c>e");
    accepts(&net, "s f +a +b . -b c e . -a e $");
    refuses(&net, "s f +a +b . -b +c +ha", "undoing goes backwards");
}

#[test]
fn steps_of_parallel_branches_are_undone_in_reverse_order_of_completion() {
    let net = process(
        "s:start f:and a:job ua:undone@a ha:job<ua b:job ub:undone@b hb:job<ub j:and c:undo e:end
         s>f f>a f>b a>j b>j j>c c>e",
    );
    accepts(&net, "s f +a +b . -b +j . -a +j -j +c +ha . -ha +hb . -hb -c e $");
    refuses(&net, "s f +a +b . -b +j . -a +j -j +c +hb", "undoing goes backwards");
}

#[test]
fn steps_of_a_completed_sub_process_are_undone_too() {
    let net = process(
        "s:start u:sub i:start/u a:job/u ua:undone@a ha:job<ua/u z:end/u b:job ub:undone@b hb:job<ub c:undo e:end
         s>u i>a a>z u>b b>c c>e",
    );
    accepts(&net, "s +u {1:u i@1 +a@1 . -a@1 z@1 }1 -u +b . -b +c +hb . -hb +ha . -ha -c e $");
    refuses(&net, "s +u {1:u i@1 +a@1 . -a@1 z@1 }1 -u +b . -b +c +ha", "undoing goes backwards");
}

#[test]
fn a_sub_process_that_ends_during_an_undoing_may_be_taken_by_it_or_left() {
    let net = process(
        "s:start f:and u:sub i:start/u a:job/u ua:undone@a ha:job<ua/u b:job/u z:end/u
         d:job ud:undone@d hd:job<ud c:undo e:end w:job x:end s>f f>u i>a a>b b>z u>w w>x f>d d>c c>e",
    );
    let during = "s f +u {1:u i@1 +a@1 +d . -a@1 +b@1 . -d +c +hd . -b@1 z@1 }1 -u +w . -hd";
    accepts(&net, &format!("{during} +ha . -ha -c e . -w x $"));
    accepts(&net, &format!("{during} -c e . -w x $"));
    refuses(&net, &format!("{during} +ha . -ha +ha"), "undoing goes backwards");
}

#[test]
fn a_step_in_a_loop_is_undone_once_per_round() {
    let net = process(
        "s:start m:pass a:job ua:undone@a ha:job<ua x:xor c:undo e:end s>m m>a a>x x>m?again x>c?else c>e",
    );
    accepts(
        &net,
        "again=true s m +a . -a +x -x>m m +a . again=false -a +x -x>c +c +ha . -ha +ha . -ha -c e $",
    );
    refuses(
        &net,
        "again=true s m +a . -a +x -x>m m +a . again=false -a +x -x>c +c +ha . -ha -c",
        "not everything",
    );
}

#[test]
fn a_cancelled_transaction_is_undone_and_then_its_event_fires() {
    let net = transaction();
    let before = "s +u {1:u i@1 +a@1 . -a@1 +b@1 . -b@1 g@1 +w@1 +c@1";
    accepts(&net, &format!("{before} xw@1 +hb@1 . -hb@1 +ha@1 . -ha@1 -c@1 }}1 !t xu -t +d . -d e $"));
    refuses(&net, &format!("{before} xw@1 +ha@1"), "undoing goes backwards");
    refuses(&net, &format!("{before} xw@1 !t"), "nothing was thrown");
    refuses(&net, &format!("{before} xw@1 +hb@1 . -hb@1 +ha@1 . -ha@1 -c@1 }}1 -u"), "it was cancelled");
    refuses(&net, &format!("{before} +hb@1 ."), "a token in `w` in scope 1 is not cancelled");
}
