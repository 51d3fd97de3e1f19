import ArgumentParser
import CommandInterface
import FileSystem
import Foundation

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
        let here = ProcessText.executable ?? "/usr/bin/recorder"
        let program = here.parentDirectory + "/recorder-web"
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        // Without memory for a copy of the path, errno is ENOMEM.
        if let path = arguments[0] { _ = execv(UnsafePointer(path), &arguments) }
        let code = errno
        throw CommandFailure(
            "cannot run \(program): \(String(cString: strerror(code))); install it with `apt install recorder` or scripts/install",
            .unavailable)
    }
}
