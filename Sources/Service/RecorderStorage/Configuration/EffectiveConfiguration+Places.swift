import FileSystem
import Foundation
package import MediaTypes

extension EffectiveConfiguration {
    /// One error for each configured file or directory that is missing, or that `recorder start` refuses for another
    /// reason. Accesses the disk.
    ///
    /// Checks absolute paths only, because the working directory of the recorder is unknown. A signing key without a
    /// slash may be the name of a systemd credential.
    package var missingPlaces: [MediaError] {
        var missing: [MediaError] = []
        if let directory = configuration.mirror, let reason = Self.reasonAgainst(directory) {
            missing.append(
                Self.error(
                    "mirror", from("mirror"), reason, "mount its disk, or create it with `mkdir -p \(directory)`"))
        }
        if let key = configuration.signingKey, key.hasPrefix("/"), access(key, F_OK) != 0,
            [ENOENT, ENOTDIR].contains(errno)
        {
            missing.append(
                Self.error(
                    "sign", from("sign"), "there is no key file \(key)",
                    "create it with `recorder key new --output \(key)`"))
        }
        if configuration.output?.hasPrefix("/") != false,
            let place = try? OutputLocation.resolve(configuration, isChecked: false)
        {
            if let directory = configuration.mirror {
                do throws(MediaError) { try place.check(mirror: directory) } catch {
                    missing.append(Self.error("mirror", from("mirror"), error.reason, error.wayOut))
                }
            }
            // The default directory is created when it is needed.
            guard configuration.output != nil else { return missing }
            do throws(MediaError) { try place.check() } catch {
                // An existing file with this name is not reported, because it may be gone when the recorder begins.
                if error.code == .cannotCreate {
                    missing.append(Self.error("output", from("output"), error.reason, error.wayOut))
                }
            }
        }
        return missing
    }

    private func from(_ key: String) -> String { lines.first { $0.key == key }?.from ?? "" }

    private static func reasonAgainst(_ path: String) -> String? {
        var kind = stat()
        if stat(path, &kind) == 0 { return kind.st_mode & S_IFMT == S_IFDIR ? nil : "\(path) is not a directory" }
        return errno == ENOENT || errno == ENOTDIR ? "there is no directory \(path)" : nil
    }

    private static func error(_ key: String, _ from: String, _ reason: String, _ wayOut: String) -> MediaError {
        MediaError(.invalidSettings, "\(from): \(key)", reason: reason, wayOut: wayOut)
    }
}
