import Glibc
import TestSupport
import Testing

/// Connects and disconnects the lab's devices.
enum LabPlug {
    private static func drive(_ driver: String, _ device: String, _ verb: String) -> Int32 {
        LabCommand.run("echo \(device) > /sys/bus/platform/drivers/\(driver)/\(verb)")
    }

    /// Runs next to the test: it returns only after every program has closed the camera.
    static func unplugCamera() -> LabCommand { LabCommand("echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind") }
    static func plugInCamera() throws { #expect(drive("vivid", "vivid.0", "bind") == 0) }

    static func unplugMicrophone() -> LabCommand {
        LabCommand("echo snd_aloop.0 > /sys/bus/platform/drivers/snd_aloop/unbind")
    }
    static func plugInMicrophone() throws {
        #expect(drive("snd_aloop", "snd_aloop.0", "bind") == 0)
        try #require(eventually { access("/dev/snd/pcmC0D1c", R_OK | W_OK) == 0 })
    }
}
