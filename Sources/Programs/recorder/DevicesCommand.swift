import ArgumentParser
import CommandInterface
import MediaTypes
import RecorderService

/// `recorder devices`
struct DevicesCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists cameras and microphones with their formats.",
        discussion: """
            With --network, searches the network for ONVIF cameras, which takes some seconds, and prints the URLs for \
            --camera. Sends no password, and changes nothing in the cameras.
            """)
    static let examples = ["recorder devices --controls", "recorder devices --network"]

    @Flag(help: "List the controls of cameras too, for --control.")
    var controls = false

    @Flag(help: "Search the network for ONVIF cameras instead.")
    var network = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if controls, network { throw OptionError("--controls and --network cannot be combined: omit one") }
    }

    func run() throws {
        if network { return try printNetworkCameras() }
        let list = DeviceList.discover()
        StandardOutput.line(json ? JSONText.line(list) : list.described(withControls: controls))
    }

    private func printNetworkCameras() throws {
        do throws(MediaError) {
            let list = try NetworkCameraList.search()
            StandardOutput.line(json ? JSONText.line(list) : list.text)
        } catch {
            throw CommandFailure(RecordingFailure(.devices, error))
        }
    }
}
