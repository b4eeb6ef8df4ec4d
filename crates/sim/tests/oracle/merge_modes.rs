//! Merge modes: SEMANTICS §3 and the scenarios M1–M24.

use crate::notation::{accepts, process, refuses};
use tyer_sim::blueprint::Blueprint;

/// M3: two branches and a merging node.
fn pair(mode: &str) -> Blueprint {
    process(&format!("s:start f:and a:job b:job c:job{mode} e:end s>f f>a f>b a>c b>c c>e"))
}

/// M7: the second branch may never come.
fn perhaps(mode: &str) -> Blueprint {
    process(&format!(
        "s:start f:and a:job d:xor b:job o:end c:job!{mode} e:end s>f f>a f>d d>b?p d>o?else a>c b>c c>e"
    ))
}

#[test]
fn in_a_loop_with_two_ways_in_it_is_open_which_flow_leads_back() {
    let net = process("s:start f:pass w:job c:pass!converge e:end s>f f>c f>w w>c c>w?q c>e?else");
    accepts(&net, "q=true s f c>w +w +w .");
    accepts(&net, "q=true s f +w . -w c>w +w .");
}

#[test]
fn converge_and_merge_run_once_when_both_have_come() {
    for mode in ["!converge", "!merge"] {
        accepts(&pair(mode), "s f +a +b . -a . -b +c . -c e $");
        refuses(
            &pair(mode),
            "s f +a +b . -a +c",
            if mode == "!merge" { "still coming" } else { "no token on" },
        );
        refuses(&pair(mode), "s f +a +b . -a . -b +c +c", "no token waits");
    }
}

#[test]
fn stream_runs_at_the_first_and_absorbs_the_second() {
    accepts(&pair("!stream"), "s f +a +b . -a +c . -b ~c . -c e $");
    refuses(&pair("!stream"), "s f +a +b . -a +c . -b +c", "it is absorbed");
    refuses(&pair("!stream"), "s f +a +b . -a ~c", "no token at `c` comes too late");
}

#[test]
fn race_runs_at_the_first_and_ends_the_second() {
    accepts(&pair("!race"), "s f +a +b . -a +c xb . -c e $");
    accepts(&pair("!race"), "s f +a +b . -a xb +c . -c e $");
    refuses(&pair("!race"), "s f +a +b . -a +c .", "a token in `b` in scope 0 is not cancelled");
    refuses(&pair("!race"), "s f +a +b . -a +c -b", "`b` is not active");
}

#[test]
fn cascade_and_nothing_said_run_it_twice() {
    for mode in ["", "!cascade"] {
        accepts(&pair(mode), "s f +a +b . -a +c . -b +c . -c e . -c e $");
    }
}

#[test]
fn nobody_is_cancelled_without_a_cause() {
    refuses(&pair("!stream"), "s f +a +b . -a +c xb .", "nothing has happened that would cause it");
}

#[test]
fn a_branch_that_never_comes_is_waited_for_by_converge_alone() {
    for mode in ["merge", "stream", "race"] {
        accepts(&perhaps(mode), "p=false s f +a +d -d>o o . -a +c . -c e $");
    }
    refuses(&perhaps("converge"), "p=false s f +a +d -d>o o . -a .", "waits in vain");
    accepts(&perhaps("converge"), "p=false s f +a +d -d>o o . -a ?c . +c . -c e $");
}

#[test]
fn a_race_ends_what_has_not_yet_arrived_wherever_it_is() {
    let net = process(
        "s:start f:and a:job b:user t:timer@b d:job c:job!race e:end s>f f>a f>b a>c b>c t>d d>c c>e",
    );
    accepts(&net, "s f +a +b . !t xb -t +d . -a +c xd . -c e $");
    refuses(&net, "s f +a +b . -a +c xb . !t", "`b` is not active");
}

#[test]
fn marks_go_with_a_fork_and_with_a_boundary_event() {
    let net = process(
        "s:start f:and a:job b:job g:and x:job y:job c:job!stream e:end
         s>f f>a f>b a>c b>g g>x g>y x>c y>c c>e",
    );
    accepts(&net, "s f +a +b . -a +c . -b g +x +y . -x ~c . -y ~c . -c e $");
    refuses(&net, "s f +a +b . -a +c . -b g +x +y . -x ~c . -y +c", "it is absorbed");
}

#[test]
fn a_way_back_drops_the_marks_so_the_next_wave_fires_anew() {
    let net = process(
        "s:start m:pass f:and a:job b:job c:pass!stream x:xor e:end
         s>m m>f f>a f>b a>c b>c c>x x>m?again x>e?else",
    );
    accepts(
        &net,
        "again=true s m f +a +b . -a c +x -x>m m f +a +b . again=false -b ~c . -b c +x -x>e e . -a ~c $",
    );
}

#[test]
fn a_race_entered_again_by_the_other_flow_fires_again() {
    let net = process(
        "s:start m:pass f:and a:job b:job c:pass!race x:xor e:end
         s>m m>f f>a f>b a>c b>c c>x x>m?again x>e?else",
    );
    accepts(&net, "again=true s m f +a +b . -a c xb +x -x>m m f +a +b . again=false -b c xa +x -x>e e $");
}

#[test]
fn converge_on_a_loop_header_does_not_wait_for_the_way_back() {
    let net = process(
        "s:start f:and a:job b:job h:job!converge x:xor e:end s>f f>a f>b a>h b>h h>x x>h?again x>e?else",
    );
    accepts(&net, "again=true s f +a +b . -a . -b +h . -h +x -x>h +h . again=false -h +x -x>e e $");
    refuses(&net, "again=true s f +a +b . -a +h", "no token on");
}

#[test]
fn a_braid_of_merges_runs_every_node_once() {
    let net = process(
        "s:start n1:pass n2:job n3:job n4:job!merge n5:job!merge n6:job!merge n7:job!merge e:end
         s>n1 n1>n2 n1>n3 n2>n4 n2>n5 n3>n5 n3>n6 n4>n7 n5>n7 n6>n7 n7>e",
    );
    accepts(&net, "s n1 +n2 +n3 . -n2 +n4 . -n3 +n5 +n6 . -n6 . -n4 . -n5 +n7 . -n7 e $");
    refuses(&net, "s n1 +n2 +n3 . -n2 +n4 +n5", "still coming");
}

#[test]
fn a_merge_takes_all_that_wait_on_one_flow_too() {
    let net = process("s:start f:and a:pass b:job c:job!merge e:end s>f f>a f>a f>b a>c b>c c>e");
    accepts(&net, "s f a a +b . -b +c . -c e $");
    refuses(&net, "s f a a +b . -b +c +c", "no token waits");
    refuses(&net, "s f a a +b . +c", "still coming");
}

#[test]
fn a_merge_is_not_held_back_by_work_in_itself() {
    let net = process(
        "s:start f:pass g:pass d:job c:job!merge r:xor e:end s>f f>g f>c g>c g>d d>r r>g?again r>e?else",
    );
    accepts(&net, "s f g +d +c . again=true -d r>g g +c +d . -c . -c .");
    refuses(&net, "s f g +d +c . again=true -d r>g g +d .", "has all its tokens");
}

#[test]
fn a_race_ends_the_undoing_that_its_loser_waits_for() {
    let net = process(
        "s:start f:and a:job ua:undone@a ha:job<ua u:undo b:job c:job!race e:end s>f f>a f>b a>u u>c b>c c>e",
    );
    accepts(&net, "s f +a +b . -a +u +ha . -b xha +c . -c e $");
    refuses(&net, "s f +a +b . -a +u +ha . -b +c .", "is not cancelled");
    refuses(&net, "s f +a +b . -a +u +ha . xha .", "nothing has happened");
}

#[test]
fn a_race_whose_winner_is_ended_by_the_next_race_is_told_as_cancelled() {
    let net =
        process("s:start f:pass a:pass g:pass b:user!race c:user!race e:end s>f f>a f>g a>b g>b b>c g>c c>e");
    accepts(&net, "s f a g +b xb +c . -c e $");
    refuses(&net, "s f a g +b +c .", "is not cancelled");
}
