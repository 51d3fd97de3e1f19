public import MediaTypes

extension FrameGenerator {
    /// The result of one request.
    public struct Generated: Sendable {
        public enum Outcome: Sendable {
            /// The image, and the timestamp of its frame.
            case succeeded(image: PixelBuffer, actualTime: MediaTime)
            case failed(MediaError)
            case cancelled
        }

        public let requestedTime: MediaTime
        public let outcome: Outcome

        init(_ time: MediaTime, _ result: Result<(image: PixelBuffer, actualTime: MediaTime), MediaError>) {
            requestedTime = time
            outcome =
                switch result {
                case .success(let frame): .succeeded(image: frame.image, actualTime: frame.actualTime)
                case .failure(let error): error.code == .cancelled ? .cancelled : .failed(error)
                }
        }
    }

    /// The results of `images(for:)`. Each iteration makes the images again.
    public struct Images: AsyncSequence, Sendable {
        public typealias Element = Generated
        public typealias Failure = Never

        let generator: FrameGenerator
        let times: [MediaTime]
        let settings: Settings
        let generation: Int

        public func makeAsyncIterator() -> Iterator { Iterator(images: self) }

        public struct Iterator: AsyncIteratorProtocol {
            let images: Images
            private var index = 0

            init(images: Images) { self.images = images }

            /// Returns the result of the next request; nil after the last one.
            public mutating func next() async -> Generated? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Generated? {
                guard index < images.times.count else { return nil }
                let time = images.times[index]
                index += 1
                do throws(MediaError) {
                    let frame = try await images.generator.image(at: time, images.settings, images.generation)
                    return Generated(time, .success(frame))
                } catch {
                    return Generated(time, .failure(error))
                }
            }
        }
    }
}
