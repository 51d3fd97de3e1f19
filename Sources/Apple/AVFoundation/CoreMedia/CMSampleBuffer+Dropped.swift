package import MediaTypes

extension CMSampleBuffer {
    /// Creates the buffer that reports a dropped frame. It has the frame's format and time, but no image.
    ///
    /// - Parameter reason: One of the values of `kCMSampleBufferAttachmentKey_DroppedFrameReason`.
    package convenience init(dropped format: FormatDescription, at time: MediaTime, reason: String) {
        let timing = CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: CMTime(time), decodeTimeStamp: .invalid)
        self.init(.none, format: CMFormatDescription(format), count: 1, timings: [timing], sizes: [])
        set(reason, kCMAttachmentMode_ShouldPropagate, for: kCMSampleBufferAttachmentKey_DroppedFrameReason)
    }
}
