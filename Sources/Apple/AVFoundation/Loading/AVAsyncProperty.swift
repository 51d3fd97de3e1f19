public import Foundation
import MediaTypes
import RealTime

/// A property of an asset, a track or a metadata item that `load` returns: `try await asset.load(.duration)`.
open class AVPartialAsyncProperty<Root: AVAsynchronousKeyValueLoading>: @unchecked Sendable {
    // Unchecked: constant.
    let key: String
    init(key: String) { self.key = key }
}

public final class AVAsyncProperty<Root: AVAsynchronousKeyValueLoading, Value>: AVPartialAsyncProperty<Root>,
    @unchecked Sendable
{
    // Unchecked: constant.
    /// Reads the value. It blocks, so it must not be called in a task.
    let read: @Sendable (Root) throws -> Value

    init(_ key: String, _ read: @escaping @Sendable (Root) throws -> Value) {
        self.read = read
        super.init(key: key)
    }

    public enum Status {
        case notYetLoaded, loading
        case loaded(Value)
        case failed(NSError)
    }
}

extension AVAsyncProperty: CustomStringConvertible {
    public var description: String { key }
}

/// An object whose properties are loaded. Separate threads do the work, never Swift's pool.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {
    func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus
    @preconcurrency
    func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?)
}

extension AVAsynchronousKeyValueLoading {
    /// Loads values without calling a handler. `statusOfValue` reports the progress.
    public func loadValuesAsynchronously(forKeys keys: [String]) {
        loadValuesAsynchronously(forKeys: keys, completionHandler: nil)
    }
}

/// The requirements that the classes of this module implement for loading.
protocol KeyValueLoading: AVAsynchronousKeyValueLoading {
    func updateLoading(_ change: (inout LoadingStates) -> Void)
    var loading: LoadingStates { get }
    /// Returns a blocking function that loads the value of a key; nil for an unknown key.
    func loader(_ key: String) -> (@Sendable () throws -> Void)?
    /// Returns true if the value of a key is known without reading anything.
    func isAtHand(_ key: String) -> Bool
}

extension KeyValueLoading {
    func progress(_ key: String) -> (AVKeyValueStatus, AVError?) {
        let (status, error) = loading.status(key)
        return status == .unknown && isAtHand(key) ? (.loaded, nil) : (status, error)
    }
}

extension AVAsynchronousKeyValueLoading {
    public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
        let loading = self as? any KeyValueLoading
        loading?.updateLoading { $0.begin(property.key) }
        let result: Loaded<Value> = await OffPool.queue.result { Loaded(Result { try property.read(self) }) }
        switch result.result {
        case .success(let value):
            loading?.updateLoading { $0.end(property.key, nil) }
            return value
        case .failure(let error):
            let failure = AVError.of(error)
            loading?.updateLoading { $0.end(property.key, failure) }
            throw failure
        }
    }

    public func load<A, B>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>
    ) async throws -> (A, B) {
        (try await load(a), try await load(b))
    }
    public func load<A, B, C>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>
    ) async throws -> (A, B, C) {
        (try await load(a), try await load(b), try await load(c))
    }
    public func load<A, B, C, D>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>,
        _ d: AVAsyncProperty<Self, D>
    ) async throws -> (A, B, C, D) {
        (try await load(a), try await load(b), try await load(c), try await load(d))
    }
    public func load<A, B, C, D, E>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>,
        _ d: AVAsyncProperty<Self, D>, _ e: AVAsyncProperty<Self, E>
    ) async throws -> (A, B, C, D, E) {
        (try await load(a), try await load(b), try await load(c), try await load(d), try await load(e))
    }
    public func load<A, B, C, D, E, F>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>,
        _ d: AVAsyncProperty<Self, D>, _ e: AVAsyncProperty<Self, E>, _ f: AVAsyncProperty<Self, F>
    ) async throws -> (A, B, C, D, E, F) {
        let (first, second) = (try await load(a, b, c), try await load(d, e, f))
        return (first.0, first.1, first.2, second.0, second.1, second.2)
    }
    public func load<A, B, C, D, E, F, G>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>,
        _ d: AVAsyncProperty<Self, D>, _ e: AVAsyncProperty<Self, E>, _ f: AVAsyncProperty<Self, F>,
        _ g: AVAsyncProperty<Self, G>
    ) async throws -> (A, B, C, D, E, F, G) {
        let (first, second) = (try await load(a, b, c), try await load(d, e, f, g))
        return (first.0, first.1, first.2, second.0, second.1, second.2, second.3)
    }
    public func load<A, B, C, D, E, F, G, H>(
        _ a: AVAsyncProperty<Self, A>, _ b: AVAsyncProperty<Self, B>, _ c: AVAsyncProperty<Self, C>,
        _ d: AVAsyncProperty<Self, D>, _ e: AVAsyncProperty<Self, E>, _ f: AVAsyncProperty<Self, F>,
        _ g: AVAsyncProperty<Self, G>, _ h: AVAsyncProperty<Self, H>
    ) async throws -> (A, B, C, D, E, F, G, H) {
        let (first, second) = (try await load(a, b, c, d), try await load(e, f, g, h))
        return (first.0, first.1, first.2, first.3, second.0, second.1, second.2, second.3)
    }

    /// Returns the status without blocking. If the property is loaded, its value is read from memory.
    public func status<Value>(of property: AVAsyncProperty<Self, Value>) -> AVAsyncProperty<Self, Value>.Status {
        guard let loading = self as? any KeyValueLoading else { return .notYetLoaded }
        let (status, error) = loading.progress(property.key)
        switch status {
        case .unknown: return .notYetLoaded
        case .loading: return .loading
        case .loaded:
            do { return .loaded(try property.read(self)) } catch { return .failed(AVError.of(error) as NSError) }
        case .failed, .cancelled: return .failed((error ?? AVError(.unknown)) as NSError)
        }
    }
}

/// A value that is passed from the thread that read it to the waiting task.
private struct Loaded<Value>: @unchecked Sendable {
    // Unchecked: one thread creates it, and another one uses it afterwards.
    let result: Result<Value, any Error>
    init(_ result: Result<Value, any Error>) { self.result = result }
}

extension AVError {
    static func of(_ error: any Error) -> AVError {
        if let error = error as? AVError { return error }
        if let error = error as? MediaError { return AVError(error) }
        return AVError(.unknown, MediaError(.ioFailure, "cannot complete the operation", reason: "\(error)"))
    }
}

extension KeyValueLoading {
    public func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>?) -> AVKeyValueStatus {
        let (status, error) = progress(key)
        outError?.pointee = error.map { $0 as NSError }
        return status
    }

    /// Loads values. The handler is called once, on an internal queue, when every key is loaded or has failed. If all
    /// keys are loaded already, it is called within this call.
    @preconcurrency
    public func loadValuesAsynchronously(forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)?) {
        if keys.allSatisfy({ progress($0).0 == .loaded }) {
            handler?()
            return
        }
        updateLoading { states in for key in keys { states.begin(key) } }
        OffPool.queue.async {
            for key in keys {
                do {
                    guard let load = self.loader(key) else {
                        throw MediaError(.unsupported, "cannot load “\(key)”", reason: "no property has this name")
                    }
                    try load()
                    self.updateLoading { $0.end(key, nil) }
                } catch {
                    self.updateLoading { $0.end(key, AVError.of(error)) }
                }
            }
            handler?()
        }
    }
}
