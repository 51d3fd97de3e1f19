package import MediaTypes

extension CMSampleBuffer {
    /// Creates the buffer that reports a dropped frame: its format and time, without an image.
    ///
    /// - Parameter reason: One of the values of `kCMSampleBufferAttachmentKey_DroppedFrameReason`.
    package convenience init(dropped format: FormatDescription, at time: MediaTime, reason: String) {
        let timing = CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: CMTime(time), decodeTimeStamp: .invalid)
        self.init(.none, format: CMFormatDescription(format), count: 1, timings: [timing], sizes: [])
        set(reason, kCMAttachmentMode_ShouldPropagate, for: kCMSampleBufferAttachmentKey_DroppedFrameReason)
    }
}
