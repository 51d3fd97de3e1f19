package import MediaTypes

/// Reports whether libavfilter is installed.
package enum FilterSupport {
    /// The reason why no filter can be used; nil if libavfilter is installed. Reading this property loads libavfilter.
    package static var problem: MediaError? {
        do throws(MediaError) {
            _ = try FilterLibrary.loaded()
            return nil
        } catch { return error }
    }
}
