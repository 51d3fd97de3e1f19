import AssetIO
import Foundation
import MediaTypes

extension ExportSession.Configuration {
    /// Sets everything that the request says about the copy, except tracks, volume and metadata.
    mutating func set(_ request: ReencodeRequest) {
        timeRange = request.timeRange
        keepsDeepFrames = true
        maximumVideoSize = request.size.map { CGSize(width: Double($0.width), height: Double($0.height)) }
        frameRate = request.frameRate
        frameStage = request.frameStage
        if frameStage.isActive, request.quarterTurns != 0 {
            // Masks are in percent of the rotated frame, so the frames themselves are rotated.
            frameStage.rotation = request.quarterTurns * 90
        } else {
            quarterTurns = request.quarterTurns
        }
        deinterlacesVideo = request.deinterlaces
        mapsToStandardRange = request.mapsTones
        fileLengthLimit = request.largestSize
        shouldOptimizeForNetworkUse = request.optimizesForNetworkUse
        skipsDamagedMedia = !request.isStrict
        overwritesExistingFile = request.overwrites
        undatedCreationDate = request.undatedCreationDate
        switch request.video {
        case .standard, .none: break
        case .passthrough: passesThrough.insert(.video)
        case .encode(let settings, let twoPass):
            videoSettings = settings
            if maximumVideoSize == nil {
                maximumVideoSize = request.presetBox.map { CGSize(width: Double($0.width), height: Double($0.height)) }
            }
            performsMultiPassEncodingIfSupported = twoPass
        }
        switch request.audio {
        case .standard, .none: break
        case .passthrough: passesThrough.insert(.audio)
        case .encode(let settings): audioSettings = settings
        }
    }
}
