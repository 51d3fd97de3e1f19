import FileSystem
package import MediaTypes
import RecorderStorage

/// The versions that a bug report needs.
package struct SystemFacts: Encodable, Sendable, Equatable {
    package let version: String
    /// The kernel's release; null if unknown.
    @OrNull package var kernel: String?
    /// The distribution and its version; null if unknown.
    @OrNull package var distribution: String?
    package let architecture: String
    package let user: String

    init(user: String) {
        self.init(
            user: user, kernel: Self.text(of: "/proc/sys/kernel/osrelease"),
            release: Self.text(of: "/etc/os-release"))
    }

    /// - Parameter release: The text of os-release(5).
    init(user: String, kernel: String?, release: String?) {
        version = RecorderVersion.text
        self.kernel = kernel?.split(separator: "\n").first.map { String($0) }
        let key = "PRETTY_NAME="
        let line = release?.split(separator: "\n").first { $0.hasPrefix(key) }
        distribution = line.map { String($0.dropFirst(key.count)).replacing("\"", with: "") }
        self.user = user
        #if arch(x86_64)
            architecture = "x86_64"
        #elseif arch(arm64)
            architecture = "arm64"
        #else
            architecture = "unknown"
        #endif
    }

    /// The lines before the checks of `recorder doctor --report`.
    package var text: String {
        "\(version) · \(distribution ?? "unknown distribution") · Linux \(kernel ?? "unknown") · \(architecture) · "
            + "user \(user)"
    }

    private static func text(of path: String) -> String? {
        FileContents.bytes(of: path).map { PathText.text($0) }
    }
}
