package import MediaTypes

/// The exposure time that is requested by a camera's controls.
package enum RequestedExposure {
    /// V4L2's names of the control, whose unit is 100 µs (V4L2_CID_EXPOSURE_ABSOLUTE). Linux 5.19 changed the name.
    private static let names: Set<String> = ["exposure_absolute", "exposure_time_absolute"]
    /// The longest exposure that is believed, in units of 100 µs: an hour.
    private static let longest: Int64 = 36_000_000

    /// Returns the exposure time; nil if no control sets it.
    package static func time(_ controls: [(name: String, value: Int64)]) -> MediaTime? {
        guard let control = controls.last(where: { names.contains(ControlNames.normalised($0.name)) }),
            control.value > 0
        else { return nil }
        return MediaTime(value: min(control.value, longest), timescale: 10_000)
    }

    /// Returns the time to wait for a frame: at least three exposures.
    ///
    /// - Parameter usual: the time for usual exposures.
    package static func patience(_ usual: MediaTime, _ exposure: MediaTime?) -> MediaTime {
        exposure.map { max(usual, MediaTime(value: 3 * $0.value, timescale: $0.timescale)) } ?? usual
    }
}
