import Foundation
import MediaTypes

extension AVTimedMetadataGroup {
    /// Creates the group that a sample of timed metadata contains; nil for a sample of another media type.
    ///
    /// A sample can also represent a time without metadata. The group then has no items.
    public convenience init?(sampleBuffer: CMSampleBuffer) {
        guard let sample = try? sampleBuffer.engineSamples().first, let format = sample.format.metadata else {
            return nil
        }
        let range = CMTimeRange(
            start: CMTime(sample.presentationTime), duration: sample.duration.map { CMTime($0) } ?? .invalid)
        let keys = Dictionary(format.keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let items = format.values(in: sample).compactMap { value in
            keys[value.key].map { AVMetadataItem(value.bytes, of: $0, at: range) }
        }
        self.init(items: items, timeRange: range)
    }

    /// Returns the format of a track that can contain the group's items; nil if the group has no items, or if an item
    /// has no identifier or no value.
    public func copyFormatDescription() -> CMMetadataFormatDescription? {
        var keys: [MetadataFormat.Key] = []
        for item in items {
            guard let identifier = item.identifier, let type = item.dataType,
                let space = MetadataFormat.Key.space(of: identifier)
            else { return nil }
            let key = MetadataFormat.Key(
                id: UInt32(keys.count + 1), keySpace: space, name: AVMetadataItem.keyBytes(ofIdentifier: identifier),
                dataType: MetadataDataTypes.stored(type), language: item.extendedLanguageTag)
            guard !key.name.isEmpty else { return nil }
            if !keys.contains(where: { $0.isSame(as: key) }) { keys.append(key) }
        }
        return keys.isEmpty ? nil : CMFormatDescription(.metadata(MetadataFormat(keys: keys)))
    }

    /// Returns the group as a sample of a track. If the group's time range has no duration, the sample lasts until the
    /// next one.
    ///
    /// - Throws: `invalidSample` for a group without a time, and for an item that the format does not describe.
    func sample(in format: MetadataFormat) throws(MediaError) -> SampleBuffer {
        let action = "cannot append a group of metadata"
        let (start, duration) = (timeRange.start, timeRange.duration)
        guard start.isNumeric else { throw MediaError(.invalidSample, action, reason: "its time range has no start") }
        guard !duration.isNumeric || duration > .zero else {
            throw MediaError(.invalidSample, action, reason: "its time range is empty")
        }
        var values: [MetadataFormat.Value] = []
        for item in items {
            guard let name = item.identifier?.rawValue else {
                throw MediaError(
                    .invalidSample, action, reason: "an item has no identifier", wayOut: "set the item's identifier")
            }
            guard let value = item.value else {
                throw MediaError(.invalidSample, action, reason: "its item \(name) has no value")
            }
            let found = format.keys.lazy.filter { $0.describes(item) }.compactMap { key in
                MetadataDataTypes.bytes(of: value, as: key.dataType).map {
                    MetadataFormat.Value(key: key.id, bytes: $0)
                }
            }
            guard let stored = found.first else {
                throw MediaError(
                    .invalidSample, action,
                    reason: "the input's format has no specification for item \(name) with a value of this type",
                    wayOut: "give the input a sourceFormatHint that lists this identifier and data type")
            }
            values.append(stored)
        }
        return format.sample(values, at: start.media, duration: duration.isNumeric ? duration.media : nil)
    }
}

extension MetadataFormat.Key {
    /// Returns true for keys that are equal except for their ID.
    fileprivate func isSame(as other: MetadataFormat.Key) -> Bool {
        keySpace == other.keySpace && name == other.name && dataType == other.dataType && language == other.language
    }
}

extension AVMetadataItem {
    /// Creates an item from a value in a track of timed metadata.
    fileprivate convenience init(_ bytes: [UInt8], of key: MetadataFormat.Key, at range: CMTimeRange) {
        self.init()
        storage.identifier = key.identifier
        storage.keySpace = key.identifier.flatMap(Self.keySpace(forIdentifier:))
        storage.key = key.identifier.flatMap(Self.key(forIdentifier:)) as? any NSCopying & NSObjectProtocol
        storage.extendedLanguageTag = key.language
        storage.dataType = MetadataDataTypes.name(key.dataType)
        storage.value = MetadataDataTypes.value(bytes, of: key.dataType)
        (storage.time, storage.duration) = (range.start, range.duration)
    }
}
