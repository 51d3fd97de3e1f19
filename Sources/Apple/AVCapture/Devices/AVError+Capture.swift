import AVFoundation
import MediaTypes

extension AVError {
    /// Creates the error of a device or a recording, with the matching code of AVFoundation.
    init(capturing error: MediaError) {
        switch error.code {
        case .busy: self.init(.deviceInUseByAnotherApplication, error)
        case .notPermitted: self.init(.applicationIsNotAuthorizedToUseDevice, error)
        case .notFound: self.init(.deviceNotConnected, error)
        case .invalidSettings: self.init(.unsupportedDeviceActiveFormat, error)
        default: self.init(error)
        }
    }
}
