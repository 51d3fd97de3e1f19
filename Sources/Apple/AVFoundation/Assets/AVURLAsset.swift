import AssetIO
public import Foundation
import MediaTypes

public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
public let AVURLAssetReferenceRestrictionsKey = "AVURLAssetReferenceRestrictionsKey"
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"
public let AVURLAssetHTTPCookiesKey = "AVURLAssetHTTPCookiesKey"
public let AVURLAssetHTTPUserAgentKey = "AVURLAssetHTTPUserAgentKey"
public let AVURLAssetAllowsExpensiveNetworkAccessKey = "AVURLAssetAllowsExpensiveNetworkAccessKey"
public let AVURLAssetAllowsConstrainedNetworkAccessKey = "AVURLAssetAllowsConstrainedNetworkAccessKey"
public let AVURLAssetShouldSupportAliasDataReferencesKey = "AVURLAssetShouldSupportAliasDataReferencesKey"

/// An asset that is stored in a file. URLs other than file URLs are accepted, but reading them fails.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    // Unchecked: constant.
    public let url: URL

    /// - Parameter options: only `AVURLAssetPreferPreciseDurationAndTimingKey` has an effect.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        let precise = (options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? NSNumber)?.boolValue ?? false
        super.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: precise))
    }

    open class func audiovisualTypes() -> [AVFileType] { [.mov, .mp4, .m4v, .m4a, .wav, .aiff, .mp3, .ac3] }
    open class func audiovisualMIMETypes() -> [String] {
        [
            "video/quicktime", "video/mp4", "video/x-m4v", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/aiff",
            "audio/mpeg",
        ]
    }
    open class func isPlayableExtendedMIMEType(_ extendedMIMEType: String) -> Bool {
        let kind = extendedMIMEType.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        return audiovisualMIMETypes().contains(kind.lowercased())
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVURLAsset else { return false }
        return other === self
    }
}
