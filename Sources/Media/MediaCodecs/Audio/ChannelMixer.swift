import CFFmpeg
import MediaTypes

/// Configures libswresample so that it converts channels exactly according to a route. Owns libswresample's context.
final class ChannelMixer {
    let context: OpaquePointer
    /// The channel map; libswresample keeps a pointer to it.
    private let channelMap: UnsafeMutableBufferPointer<Int32>

    /// One side of the conversion.
    struct End {
        var channelCount: Int
        var sampleFormat: AVSampleFormat
        var sampleRate: Int32
    }

    /// - Parameters:
    ///   - route: the route from the channels of `source` to those of `target`.
    ///   - setUp: sets more options of the context before it is initialized.
    init(
        _ source: End, _ target: End, route: ChannelRoute, setUp: (UnsafeMutableRawPointer) -> Int32 = { _ in 0 }
    ) throws(MediaError) {
        var (from, to) = (
            AVChannelLayout.unnamed(source.channelCount), AVChannelLayout.unnamed(target.channelCount)
        )
        var (order, matrix): ([Int32], [Double]) = ([], [])
        switch route {
        case .each(let places): order = places.map { Int32($0) }
        case .mixed(let first, let second, let places):
            (from, to) = (first.libavLayout, second.libavLayout)
            order = places.map { Int32($0) }
        case .gains(let rows): matrix = rows.flatMap { $0 }
        }
        channelMap = .allocate(capacity: order.count)
        _ = channelMap.initialize(from: order)
        var made: OpaquePointer?
        var result = swr_alloc_set_opts2(
            &made, &to, target.sampleFormat, target.sampleRate, &from, source.sampleFormat, source.sampleRate, 0, nil)
        if result >= 0, !order.isEmpty { result = swr_set_channel_mapping(made, channelMap.baseAddress) }
        if result >= 0, !matrix.isEmpty { result = swr_set_matrix(made, matrix, Int32(source.channelCount)) }
        if result >= 0, let made { result = setUp(UnsafeMutableRawPointer(made)) }
        if result >= 0 { result = swr_init(made) }
        guard result >= 0, let made else {
            swr_free(&made)
            channelMap.deallocate()
            throw MediaError(averror: result, .invalidSettings, "cannot convert audio")
        }
        context = made
    }

    deinit {
        var freed: OpaquePointer? = context
        swr_free(&freed)
        channelMap.deallocate()
    }
}
