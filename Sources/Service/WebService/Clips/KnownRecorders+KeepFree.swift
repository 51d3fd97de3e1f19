import MediaTypes
import RecorderControl
import RecorderStorage

extension KnownRecorders {
    /// The largest `keep-free` of all recorders' configuration files, in bytes; 0 if none sets it. Options on a
    /// recorder's command line are ignored, because the server does not know them. Reads the disk.
    var mostKeptFree: Int64 {
        recorded.compactMap { (try? ConfigurationSource($0).load())?.retention.freeSpace }.max() ?? 0
    }
}
