import FileSystem
import Glibc

/// The recorder's units and rules on this machine, and whether this user's own units run without a login.
struct ServiceFacts: Sendable, Equatable {
    /// True if systemd runs this machine.
    var hasSystemd: Bool
    /// The path of `recorder@.service`; nil if it is not installed.
    var unit: String?
    /// The path of the udev rules; nil if they are not installed.
    var rules: String?
    /// The units of this user that run a recorder.
    var userUnits: [String]
    /// True if this user's units run without a login; nil if unknown.
    var lingers: Bool?

    /// Reads the facts.
    ///
    /// - Parameter environment: The variables `HOME` and `XDG_CONFIG_HOME`.
    static func read(_ user: UserFacts, environment: [String: String]) -> ServiceFacts {
        let prefixes = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"]
        func first(_ path: String) -> String? {
            prefixes.map { "\($0)/\(path)" }.first { access($0, F_OK) == 0 }
        }
        let home = ProcessText.homeDirectory(in: environment)
        let settings = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        let folders = [settings + "/systemd/user", "/etc/systemd/user"]
        let own = user.isRoot ? [] : folders.flatMap { Self.units(in: $0) }
        return ServiceFacts(
            hasSystemd: FolderContents.isDirectory("/run/systemd/system"),
            unit: first("systemd/system/recorder@.service"), rules: first("udev/rules.d/90-recorder.rules"),
            userUnits: own, lingers: Self.hasLinger(user))
    }

    /// Returns the units in a folder that run a recorder or the page.
    private static func units(in folder: String) -> [String] {
        (FolderContents.names(in: folder) ?? []).filter { $0.hasSuffix(".service") }.sorted().filter { name in
            guard let text = SmallFile.text(of: folder.appendingComponent(name)) else { return false }
            return runsRecorder(text)
        }
    }

    /// Returns true if a unit starts this program.
    static func runsRecorder(_ unit: String) -> Bool {
        UnitLines.lines(of: unit).contains { line in
            guard line.hasPrefix("ExecStart=") else { return false }
            let words = line.dropFirst("ExecStart=".count).split(separator: " ")
            return words.contains { word in
                let name = String(word).lastComponent
                return name == "recorder" || name == "recorder-web"
            }
        }
    }

    /// Reads systemd-logind's list of users whose units need no login (loginctl(1), enable-linger).
    private static func hasLinger(_ user: UserFacts) -> Bool? {
        guard !user.name.contains("/") else { return nil }
        if access("/var/lib/systemd/linger/\(user.name)", F_OK) == 0 { return true }
        return errno == ENOENT ? false : nil
    }
}
