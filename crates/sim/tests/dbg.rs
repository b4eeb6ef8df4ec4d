//! x
#[test] fn dbg(){ let b=tyer_sim::generate::generate(4,&tyer_sim::generate::Options::all());
 if let Err((w,_))=tyer_sim::oracle::walk(&b,4,120){ let mut o=tyer_sim::oracle::Oracle::new(&b); for t in w.turns{ for x in t { o.observe(x).unwrap(); } } println!("{:?}", o.ended(tyer_sim::oracle::Status::Completed)); } }
