import Capture
import MediaTypes
import RecorderStorage

extension RecordingConfiguration {
    /// The exposure time that the camera's controls set; nil if they set none.
    var exposure: MediaTime? {
        // libcamera's control is in microseconds.
        if let time = controls.last(where: { $0.name == "ExposureTime" })?.value, time > 0 {
            return MediaTime(value: min(time, 3_600_000_000), timescale: 1_000_000)
        }
        return RequestedExposure.time(controls.compactMap { control in control.value.map { (control.name, $0) } })
    }
}
