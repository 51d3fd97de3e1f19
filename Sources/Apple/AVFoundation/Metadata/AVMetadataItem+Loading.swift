public import Foundation

/// Asynchronous loading. An asset's item is complete from the start. For an item from
/// `init(propertiesOf:valueLoadingHandler:)`, loading requests the value without blocking a thread of Swift's pool.
extension AVMetadataItem: AVAsynchronousKeyValueLoading {
    /// Returns the status of `value` and of the properties that are derived from it. They count as loaded after the
    /// request was answered.
    public func statusOfValue(
        forKey key: String, error outError: UnsafeMutablePointer<NSError?>?
    ) -> AVKeyValueStatus {
        guard let request else { return .loaded }
        guard request.isAnswered else { return .unknown }
        do {
            _ = try request.answer()
            return .loaded
        } catch {
            outError?.pointee = error as NSError
            return .failed
        }
    }

    @preconcurrency
    public func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?) {
        if request?.isAnswered ?? true {
            handler?()
            return
        }
        OffPool.queue.async {
            _ = try? self.loadedValue()
            handler?()
        }
    }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
    public static var value: AVAsyncProperty<Root, (any NSCopying & NSObjectProtocol)?> {
        .init("value") { try $0.loadedValue() }
    }
    public static var stringValue: AVAsyncProperty<Root, String?> {
        .init("stringValue") { try $0.loadedValue().flatMap(MetadataValueForm.string) }
    }
    public static var numberValue: AVAsyncProperty<Root, NSNumber?> {
        .init("numberValue") { try $0.loadedValue().flatMap(MetadataValueForm.number) }
    }
    public static var dateValue: AVAsyncProperty<Root, Date?> {
        .init("dateValue") { try $0.loadedValue().flatMap(MetadataValueForm.date) }
    }
    public static var dataValue: AVAsyncProperty<Root, Data?> {
        .init("dataValue") { try $0.loadedValue().flatMap(MetadataValueForm.data) }
    }
    public static var extraAttributes: AVAsyncProperty<Root, [AVMetadataExtraAttributeKey: Any]?> {
        .init("extraAttributes") { $0.extraAttributes }
    }
}
