package import MediaTypes

/// The form of linear PCM that decoded sound is given in; nil: as it is stored.
package struct PCMOutput: Sendable, Hashable {
    package var pcm: PCMSampleFormat
    package var isBigEndian: Bool
    package var sampleRate: Int?
    package var channelCount: Int?
    package var layout: ChannelLayout?

    package init(
        pcm: PCMSampleFormat, isBigEndian: Bool = false, sampleRate: Int? = nil, channelCount: Int? = nil,
        layout: ChannelLayout? = nil
    ) {
        self.pcm = pcm
        self.isBigEndian = isBigEndian
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.layout = layout
    }

    /// What comes out for sound of this format.
    package func format(for source: AudioFormat) -> AudioFormat {
        let channels = channelCount ?? layout?.channelCount ?? source.channelCount
        return AudioFormat(
            pcm: pcm, sampleRate: sampleRate ?? source.sampleRate, channelCount: channels,
            layout: layout ?? (channels == source.channelCount ? source.layout : nil), isBigEndian: isBigEndian)
    }
}
