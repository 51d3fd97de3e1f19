import ArgumentParser
import CommandInterface
import RecorderService

/// `recorder devices`
struct DevicesCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists cameras and microphones with their formats.")
    static let examples = ["recorder devices", "recorder devices --json"]

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() {
        let list = DeviceList.discover()
        StandardOutput.line(json ? JSONText.line(list) : list.text)
    }
}
