import MediaTypes
import RecorderService

extension KnownRecorders {
    /// The most that a recorder's file asks to keep free, in bytes; 0 where none does. Touches the disk. What a command line says is
    /// not known here.
    var mostKeptFree: Int64 {
        recorded.compactMap { (try? ConfigurationSource($0).load())?.retention.freeSpace }.max() ?? 0
    }
}
