import CommandInterface
import RecorderStorage

extension KeptAccount {
    /// One line of the status, e.g. "3 kept files (1.2 GB)"; nil if nothing is kept.
    var text: String? {
        guard files > 0 else { return nil }
        let text = "\(NumberText.grouped(files)) kept file\(files == 1 ? "" : "s") (\(NumberText.bytes(bytes)))"
        return warning.map { text + " · warning: \($0)" } ?? text
    }
}
