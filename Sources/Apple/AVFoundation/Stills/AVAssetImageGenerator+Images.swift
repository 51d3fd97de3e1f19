import MediaTypes

extension AVAssetImageGenerator {
    /// The results of `images(for:)`, one for each requested time. Each iteration generates the images again.
    public struct Images: AsyncSequence, Sendable {
        public enum Element: Sendable {
            case success(requestedTime: CMTime, image: CGImage, actualTime: CMTime)
            case failure(requestedTime: CMTime, error: any Error)

            public var requestedTime: CMTime {
                switch self {
                case .success(let time, _, _), .failure(let time, _): time
                }
            }
            /// - Throws: the error if the request failed.
            public var image: CGImage {
                get throws {
                    switch self {
                    case .success(_, let image, _): return image
                    case .failure(_, let error): throw error
                    }
                }
            }
            public var actualTime: CMTime {
                get throws {
                    switch self {
                    case .success(_, _, let time): return time
                    case .failure(_, let error): throw error
                    }
                }
            }
        }

        public typealias Failure = Never
        public typealias AsyncIterator = Iterator

        let generator: AVAssetImageGenerator
        let times: [CMTime]
        let terms: StillSource.Terms

        public func makeAsyncIterator() -> Iterator { Iterator(images: self) }

        public struct Iterator: AsyncIteratorProtocol {
            let images: Images
            private var index = 0

            init(images: Images) { self.images = images }

            /// Returns the result of the next request; nil after the last one.
            public mutating func next() async -> Element? { await next(isolation: nil) }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                guard index < images.times.count else { return nil }
                let time = images.times[index]
                index += 1
                do {
                    let (image, actualTime) = try await images.generator.source.imageLater(at: time.media, images.terms)
                    return .success(requestedTime: time, image: image, actualTime: CMTime(actualTime))
                } catch {
                    return .failure(requestedTime: time, error: AVAssetImageGenerator.error(error))
                }
            }
        }
    }
}
