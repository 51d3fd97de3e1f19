import Foundation

// Declarations in files and packages of the program that are not compiled here.

public struct MLXArray {
    public let data: Data
    public let shape: [Int]

    public init(_ data: Data, _ shape: [Int], type: Float.Type) {
        self.data = data
        self.shape = shape
    }
}

public struct UserInput {
    public enum AudioFormat {
        case linearPCM
    }

    public struct AudioProcessing {
        public var audioFormat = AudioFormat.linearPCM
        public var sampleRate = 16_000.0
        public var channels = 1

        public init() {}
    }

    public enum Audio {
        case url(URL)
        case array(MLXArray)
    }
}

enum UserInputError: Error {
    case noAudioData(URL)
    case unableToLoad(URL)
}
