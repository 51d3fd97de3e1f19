import MediaTypes

/// Returns Video Toolbox's codes for errors of the library and for invalid settings.
enum VTStatus {
    static func encoding(_ error: MediaError) -> OSStatus {
        switch error.code {
        case .invalidState: kVTInvalidSessionErr
        case .invalidSettings, .invalidSample: kVTParameterErr
        case .unsupported: kVTCouldNotFindVideoEncoderErr
        default: kVTVideoEncoderMalfunctionErr
        }
    }

    static func decoding(_ error: MediaError) -> OSStatus {
        switch error.code {
        case .invalidState: kVTInvalidSessionErr
        case .corruptData, .invalidSample: kVTVideoDecoderBadDataErr
        case .unsupported: kVTCouldNotFindVideoDecoderErr
        default: kVTVideoDecoderMalfunctionErr
        }
    }

    /// Returns the code for attributes of pixel buffers that are not supported.
    static func attributes(_ faults: SettingsFaults) -> OSStatus {
        faults.list.contains { $0.key == kCVPixelBufferPixelFormatTypeKey }
            ? kVTPixelTransferNotSupportedErr : kVTParameterErr
    }
}
