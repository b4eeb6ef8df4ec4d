//! Gateways: splits, joins, loops, starvation.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

fn diamond(split: &str, join: &str) -> Blueprint {
    process(&format!("s:start f:{split} a:job b:job j:{join} e:end s>f f>a f>b a>j b>j j>e"))
}

fn choice(split: &str) -> Blueprint {
    process(&format!("s:start g:{split} a:job b:job c:job e:end s>g g>a?p g>b?q g>c?else a>e b>e c>e"))
}

/// An inclusive split whose join may see one token or two.
fn inclusive() -> Blueprint {
    process("s:start g:or a:job b:job j:or e:end s>g g>a?p g>b?else a>j b>j j>e")
}

#[test]
fn a_sequence_runs_to_its_end() {
    let line = process("s:start a:job b:pass e:end s>a a>b b>e");
    accepts(&line, "s +a . -a b e $");
}

#[test]
fn a_token_that_is_not_moved_on_is_missed_at_the_end_of_the_turn() {
    let line = process("s:start a:job b:job e:end s>a a>b b>e");
    refuses(&line, "s +a . -a .", "a token is on its way to `b`");
}

#[test]
fn a_node_that_passes_does_not_wait() {
    let line = process("s:start a:pass e:end s>a a>e");
    refuses(&line, "s +a .", "`a` stands still");
}

#[test]
fn a_node_does_not_start_without_a_token() {
    let line = process("s:start a:job b:job e:end s>a a>b b>e");
    refuses(&line, "s +b", "no token leads to `b`");
}

#[test]
fn a_task_completes_once() {
    let line = process("s:start a:job e:end s>a a>e");
    refuses(&line, "s +a -a -a", "`a` is not active");
}

#[test]
fn an_instance_with_a_token_does_not_end() {
    let line = process("s:start a:job e:end s>a a>e");
    refuses(&line, "s +a $", "a token in `a`");
}

#[test]
fn an_instance_without_tokens_has_to_end() {
    let line = process("s:start a:job e:end s>a a>e");
    refuses(&line, "s +a . -a e .", "the instance has not ended");
}

#[test]
fn nothing_happens_after_the_end() {
    let line = process("s:start a:job e:end s>a a>e");
    refuses(&line, "s +a -a e $ +a", "the instance has ended");
}

#[test]
fn a_fork_and_its_join() {
    accepts(&diamond("and", "and"), "s f +a +b . -b +j . -a +j -j e $");
}

#[test]
fn a_parallel_join_does_not_fire_early() {
    refuses(&diamond("and", "and"), "s f +a +b . -a +j -j", "`j` has no token on flow_5");
}

#[test]
fn a_parallel_join_does_not_fire_twice() {
    refuses(&diamond("and", "and"), "s f +a +b . -a +j -b +j -j -j", "no token waits at `j`");
}

#[test]
fn a_parallel_join_that_can_fire_must() {
    refuses(&diamond("and", "and"), "s f +a +b . -a +j . -b +j .", "has not fired");
}

#[test]
fn two_tokens_on_one_flow_belong_to_two_firings() {
    let net =
        process("s:start f:and a:job b:job c:job m:pass j:and e:end s>f f>a f>b f>c a>m b>m m>j c>j j>e");
    refuses(&net, "s f +a +b +c . -a m +j -b m +j -j", "`j` has no token on");
    refuses(&net, "s f +a +b +c . -a m +j . -b m +j . -c +j -j e -j", "`j` has no token on");
}

#[test]
fn a_fork_takes_all_ways() {
    refuses(&diamond("and", "and"), "s +f -f>a", "`f` goes all ways");
}

#[test]
fn a_choice_takes_one_way() {
    refuses(&choice("xor"), "s +g -g>a,b", "`g` goes one way");
}

#[test]
fn a_choice_takes_the_first_way_that_holds() {
    accepts(&choice("xor"), "p=true q=true s +g -g>a +a . -a e $");
    refuses(&choice("xor"), "p=true q=true s +g -g>b", "it comes first");
    refuses(&choice("xor"), "p=false q=false s +g -g>a", "does not hold");
    accepts(&choice("xor"), "p=false q=false s +g -g>c +c . -c e $");
}

#[test]
fn a_choice_on_unknown_variables_may_go_any_way() {
    for way in ["a", "b", "c"] {
        accepts(&choice("xor"), &format!("s +g -g>{way} +{way} . -{way} e $"));
    }
}

#[test]
fn a_choice_without_a_way_is_an_incident_and_only_then() {
    let net = process("s:start g:xor a:job b:job e:end s>g g>a?p g>b?q a>e b>e");
    accepts(&net, "p=false q=false s +g ?g .");
    refuses(&net, "p=true q=false s +g ?g", "can be taken");
    refuses(&net, "p=false q=false s +g .", "`g` stands still");
}

#[test]
fn an_inclusive_split_takes_what_holds() {
    accepts(&choice("or"), "p=true q=true s +g -g>a,b +a +b . -a e . -b e $");
    refuses(&choice("or"), "p=true q=true s +g -g>a", "holds, yet it is not taken");
    refuses(&choice("or"), "p=true q=false s +g -g>a,c", "the default");
    refuses(&choice("or"), "p=false q=false s +g -g>", "lost its token");
}

#[test]
fn an_inclusive_join_waits_for_what_is_coming() {
    let net = process("s:start g:or a:job b:job j:or e:end s>g g>a?p g>b?q a>j b>j j>e");
    accepts(&net, "p=true q=true s +g -g>a,b +a +b . -a +j . -b +j -j e $");
    refuses(&net, "p=true q=true s +g -g>a,b +a +b . -a +j -j", "still coming to `j`");
}

#[test]
fn an_inclusive_join_does_not_wait_for_what_is_not_coming() {
    accepts(&inclusive(), "p=true s +g -g>a +a . -a +j -j e $");
    refuses(&inclusive(), "p=true s +g -g>a +a . -a +j .", "has not fired");
}

#[test]
fn an_inclusive_join_fires_when_the_other_token_turned_away() {
    let net =
        process("s:start f:and a:job b:job x:xor j:or o:end e:end s>f f>a f>b a>j b>x x>j?p x>o?else j>e");
    accepts(&net, "p=false s f +a +b . -a +j . -b +x -x>o o -j e $");
    refuses(&net, "p=false s f +a +b . -a +j . -b +x -x>o o .", "has not fired");
}

#[test]
fn inclusive_joins_that_wait_for_each_other_do_not_wait_for_ever() {
    let net = process(
        "s:start f:and a:job b:job i:or j:or x:xor y:xor e:end
         s>f f>a f>b a>i b>j i>x x>j?p x>e?else j>y y>i?q y>e?else",
    );
    accepts(&net, "p=false q=false s f +a +b . -a +i . -b +j -i +x -x>e e -j +y -y>e e $");
    refuses(&net, "s f +a +b . -a +i . -b +j .", "has not fired");
}

#[test]
fn an_inclusive_and_a_parallel_join_that_wait_for_each_other_may_go_on_or_wait() {
    let net = process("s:start g:pass p:and i:or d:job s>g g>p g>p?again g>i p>i i>d d>g");
    accepts(&net, "again=false s +g -g>p,i +p +i .");
    accepts(&net, "again=false s +g -g>p,i +p +i -i +d .");
    refuses(&net, "again=false s +g -g>p,i +p +i -p", "no token on");
}

#[test]
fn a_join_that_waits_in_vain_is_an_incident() {
    let net = process("s:start g:xor a:job b:job j:and e:end s>g g>a?p g>b?else a>j b>j j>e");
    refuses(&net, "p=true s +g -g>a +a . -a +j .", "waits in vain");
    accepts(&net, "p=true s +g -g>a +a . -a +j ?j . -j e $");
}

#[test]
fn a_join_that_is_still_fed_is_no_incident() {
    refuses(&diamond("and", "and"), "s f +a +b . -a +j ?j", "`j` is not stuck");
}

#[test]
fn joins_that_starve_each_other_may_both_be_incidents() {
    let net = process(
        "s:start f:and a:job b:job i:and j:and x:and y:and e:end
         s>f f>a f>b a>i b>j i>x x>j x>e j>y y>i y>e",
    );
    accepts(&net, "s f +a +b . -a +i . -b +j ?i ?j .");
}

#[test]
fn a_complex_gateway_fires_once_when_enough_have_come() {
    let net = process("s:start f:and a:job b:job c:job j:some2 e:end s>f f>a f>b f>c a>j b>j c>j j>e");
    accepts(&net, "s f +a +b +c . -a +j . -b +j -j e . -c ~j $");
    refuses(&net, "s f +a +b +c . -a +j -j", "`j` has 1 of 2 tokens");
    refuses(&net, "s f +a +b +c . -a +j . -b +j -j e . -c +j -j", "no token waits");
}

#[test]
fn a_complex_gateway_absorbs_what_was_on_its_way_when_it_fired() {
    let net = process("s:start f:and j:some1 e:end s>f f>j f>j j>e");
    accepts(&net, "s f +j -j ~j e $");
    refuses(&net, "s f +j -j ~j ~j", "comes too late");
    refuses(&net, "s f +j -j +j -j", "no token waits");
}

#[test]
fn a_join_takes_the_token_that_has_arrived_and_leaves_the_one_on_its_way() {
    let net = process("s:start f:and a:pass j:or e:end s>f f>a f>a a>j j>e");
    accepts(&net, "s f a a +j -j +j -j e e $");
    refuses(&net, "s f a a +j -j +j -j +j", "no token leads to");
}

#[test]
fn an_event_based_gateway_takes_the_first_event_alone() {
    let net = process("s:start w:wait a:catch b:catch c:job d:job e:end s>w w>a w>b a>c b>d c>e d>e");
    accepts(&net, "s +w . !a -w>a a +c . -c e $");
    refuses(&net, "s +w . -w>a,b", "`w` goes one way");
    refuses(&net, "s +w . -w>a a +c . -w>b", "`w` is not active");
    refuses(&net, "s +w . -w>a +a .", "`a` stands still");
}

#[test]
fn an_activity_splits_by_its_conditions() {
    let net = process("s:start g:job a:job b:job e:end s>g g>a?p g>b?else a>e b>e");
    accepts(&net, "p=true s +g . -g>a +a . -a e $");
    refuses(&net, "p=true s +g . -g>a,b", "the default");
}

#[test]
fn an_activity_runs_once_per_token() {
    let net = process("s:start f:and a:job b:job c:job e:end s>f f>a f>b a>c b>c c>e");
    accepts(&net, "s f +a +b . -a +c . -b +c . -c e . -c e $");
}

#[test]
fn a_join_in_a_loop_fires_every_round() {
    let net = process(
        "s:start m:pass f:and a:job b:job j:and x:xor e:end s>m m>f f>a f>b a>j b>j j>x x>m?again x>e?else",
    );
    accepts(
        &net,
        "again=true s m f +a +b . -a +j . -b +j -j +x -x>m m f +a +b . again=false -b +j . -a +j -j +x -x>e e $",
    );
}

#[test]
fn links_lead_on() {
    let net = process("s:start a:leap=l b:land=l c:job e:end s>a b>c c>e");
    accepts(&net, "s a b +c . -c e $");
    refuses(&net, "s a .", "`b` has not started");
}
