//! The program `tyer`: a thin door to the library and the server.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
