import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderControl

/// `recorder web`: executes `recorder-web`, which is installed beside this program. TLS and a web server do not belong
/// in the recording program.
struct WebCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Shows recorders and their recordings in a browser.",
        discussion: "`recorder web --help` shows the options, `recorder web user --help` how to manage logins.")
    static let examples = ["recorder web --open", "recorder web user add ann --role operator"]

    @Argument(parsing: .captureForPassthrough, help: "Arguments of recorder-web.")
    var words: [String] = []

    func run() throws {
        let error = PageProgram.standard.execute(words)
        throw CommandFailure(error.description, .unavailable)
    }
}
