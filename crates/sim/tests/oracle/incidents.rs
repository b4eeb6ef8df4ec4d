//! Incidents and what follows them, quantities, resets: what people and patience are needed for.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

/// A complex gateway in a loop: one of two is enough, and the other comes too late.
fn rounds() -> Blueprint {
    process(
        "s:start m:xor f:and a:job b:job j:some1 g:xor e:end \
         s>m m>f f>a f>b a>j b>j j>g g>m?again g>e?else",
    )
}

#[test]
fn a_complex_gateway_that_has_fired_waits_for_its_reset() {
    let first_round = "again=true s m f +a +b . -a +j -j g>m m f +a +b .";
    accepts(&rounds(), &format!("{first_round} -a +j ."));
    refuses(&rounds(), &format!("{first_round} -a +j -j"), "is not reset yet");
}

#[test]
fn a_complex_gateway_that_is_reset_fires_with_what_has_come_meanwhile() {
    let waiting = "again=true s m f +a +b . -a +j -j g>m m f +a +b . -a +j . again=false";
    accepts(&rounds(), &format!("{waiting} -b +j ~j -j g>e e ."));
    refuses(&rounds(), &format!("{waiting} -b +j ~j ."), "has not fired");
}

#[test]
fn a_complex_gateway_does_not_wait_for_who_has_turned_away() {
    let net = process(
        "s:start f:and a:job x1:job h:xor j:some1 e:end d:end s>f f>a f>x1 x1>h h>j?p h>d?else a>j j>e",
    );
    accepts(&net, "p=false s f +a +x1 . -a +j -j e . -x1 h>d d $");
}

#[test]
fn a_node_starts_with_as_many_tokens_as_it_takes() {
    let net = process("s:start f:and a:pass b:pass c:job#2 e:end s>f f>a f>b a>c b>c c>e");
    accepts(&net, "s f a b +c . -c e $");
    refuses(&net, "s f a +c", "has 1 of 2 tokens");
    refuses(&net, "s f a b .", "has not fired");
}

#[test]
fn a_node_that_can_get_no_more_tokens_starves() {
    let net = process("s:start g:xor a:pass b:pass c:job#2 e:end s>g g>a?p g>b?else a>c b>c c>e");
    accepts(&net, "p=true s g>a a starves:c . release:c +c . -c e $");
    refuses(&net, "p=true s g>a a .", "waits in vain");
}

#[test]
fn in_an_ad_hoc_sub_process_that_is_over_nothing_goes_on() {
    let net = process("s:start h:adhoc=done a:job/h b:job/h e:end s>h a>b h>e");
    accepts(&net, "done=false s +h {1:h +a@1 . -a@1 +b@1 . done=true -b@1 }1 -h e $");
    accepts(&net, "done=false s +h {1:h +a@1 . done=true -a@1> }1 -h e $");
    refuses(&net, "done=false s +h {1:h +a@1 . done=true -a@1 +b@1", "no token leads to `b`");
    refuses(&net, "done=false s +h {1:h +a@1 . -a@1>", "holds, yet it is not taken");
}

#[test]
fn what_is_resolved_may_start_again_once() {
    let line = process("s:start a:job e:end s>a a>e");
    accepts(&line, "s +a ?a . resolve:a +a . -a e $");
    accepts(&line, "s +a ?a . resolve:a . -a e $");
    refuses(&line, "s +a ?a . +a", "no token leads to `a`");
    refuses(&line, "s +a ?a . resolve:a +a +a", "no token leads to `a`");
}

#[test]
fn a_token_at_work_in_a_join_does_not_starve_before_it() {
    // Who is at work in c comes round to both of its flows.
    let net = process(
        "s:start f:pass a:job b:job c:job!converge g:xor e:end s>f f>a f>b a>c b>c c>g g>f?again g>e?else",
    );
    refuses(&net, "again=true s f +a +b . -a -b +c . starves:c", "is not stuck");
    let loop_back = "again=true s f +a +b . -a -b +c . -c g>f f +a +b . -a .";
    refuses(&net, &format!("{loop_back} starves:c"), "is not stuck");
}

#[test]
fn a_join_goes_on_with_what_has_arrived_when_somebody_says_so() {
    let net = process("s:start g:xor a:job b:job j:and e:end s>g g>a?p g>b?else a>j b>j j>e");
    accepts(&net, "p=true s g>a +a . -a +j starves:j . release:j +j -j e $");
    refuses(&net, "p=true s g>a +a . -a +j -j", "has no token on");
}

#[test]
fn a_token_on_a_way_back_passes_alone_while_others_starve() {
    let net = process(
        "s:start h:xor f:pass w:job c:pass!converge g:xor d:job e:end \
         s>h h>c?p h>f?else f>c f>w c>g w>e g>d?q g>e?else d>c",
    );
    let passed = "p=false q=true s h>f f +w starves:c . release:c c g>d +d . -d";
    accepts(&net, &format!("{passed} c g>d +d ."));
    let still_starved = process(
        "s:start f:pass k:xor w:job d:job c:pass!converge v:job e:end n:end \
         s>f f>k f>w f>d k>n?p k>c?else w>c c>v v>c d>e",
    );
    accepts(&still_starved, "p=true s f k>n n +w +d . -w starves:c . release:c c +v . -v c +v .");
    refuses(&net, &format!("{passed} ."), "has not fired");
}

#[test]
fn a_condition_on_what_is_not_known_any_more_may_go_either_way() {
    let net = process("s:start g:xor a:job b:job e:end s>g g>a?p g>b?else a>e b>e");
    refuses(&net, "p=false s g>a", "does not hold");
    accepts(&net, "p=false p=unknown s g>a +a .");
    accepts(&net, "p=false p=unknown s g>b +b .");
    let open = process("s:start g:xor a:job b:job e:end s>g g>a?p g>b?q a>e b>e");
    refuses(&open, "p=true q=false s +g ?g", "can be taken");
    accepts(&open, "p=true q=false p=unknown s +g ?g .");
}
