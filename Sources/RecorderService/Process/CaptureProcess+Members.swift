import Foundation
public import MediaTypes

/// What a member of the control group may not do, though the owner may.
extension CaptureProcess {
    public func memberPath(_ path: String) throws(MediaError) -> String {
        let (directory, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let root = try recordingsDirectory()
        guard let real = Self.real(directory), let home = Self.real(root), !["", ".", "..", "/"].contains(name),
            (real + "/").hasPrefix(home == "/" ? "/" : home + "/")
        else {
            throw MediaError(
                .notPermitted, "cannot save to \(path)", reason: "only the owner may write outside \(root)",
                wayOut: "name a file in \(root), or none")
        }
        return (real as NSString).appendingPathComponent(name)
    }

    /// The directory that all recordings of this process are in or below.
    private func recordingsDirectory() throws(MediaError) -> String {
        let (path, root) = try OutputLocation.expand(settings, now: foundations.wallClock())
        return root ?? (path as NSString).deletingLastPathComponent
    }

    /// Without links; nil for what is not there.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
