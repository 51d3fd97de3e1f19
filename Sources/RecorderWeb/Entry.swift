import ArgumentParser
import WebService

/// `recorder-web`: the page.
@main
struct Entry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "recorder-web")

    func run() async throws {}
}
