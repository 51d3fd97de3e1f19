import Foundation
import Glibc
import TestSupport
import Testing

/// Connects and disconnects the lab's devices.
enum LabPlug {
    private static func drive(_ driver: String, _ device: String, _ verb: String) -> Int32 {
        LabCommand.run("echo \(device) > /sys/bus/platform/drivers/\(driver)/\(verb)")
    }

    /// Runs next to the test.
    static func unplugCamera() -> LabCommand { LabCommand("echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind") }

    /// Waits until the programs have closed the camera that was unplugged, because its number is not free before.
    static func plugInCamera() throws {
        _ = eventually(within: 10, every: 0.01) { !isAnyOpenAfterItsEnd() }
        #expect(drive("vivid", "vivid.0", "bind") == 0)
    }

    /// Returns true if a program has a camera open whose node was removed (proc(5), `fd`).
    private static func isAnyOpenAfterItsEnd() -> Bool {
        let files = FileManager.default
        return (try? files.contentsOfDirectory(atPath: "/proc"))?.filter { Int($0) != nil }.contains { process in
            (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd"))?.contains { number in
                let path = try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(number)")
                return path?.hasPrefix("/dev/video") == true && path?.hasSuffix(" (deleted)") == true
            } ?? false
        } ?? false
    }

    static func unplugMicrophone() -> LabCommand {
        LabCommand("echo snd_aloop.0 > /sys/bus/platform/drivers/snd_aloop/unbind")
    }
    static func plugInMicrophone() throws {
        #expect(drive("snd_aloop", "snd_aloop.0", "bind") == 0)
        try #require(eventually { access("/dev/snd/pcmC0D1c", R_OK | W_OK) == 0 })
    }
}
