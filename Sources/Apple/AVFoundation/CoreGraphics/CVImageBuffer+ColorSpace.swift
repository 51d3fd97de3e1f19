import Foundation

/// Returns the color space that the primaries and the transfer function identify; nil if `CGColorSpace` has no color
/// space for the primaries.
public func CVImageBufferCreateColorSpaceFromAttachments(_ attachments: CFDictionary) -> CGColorSpace? {
    let words = attachments as? [String: Any] ?? [:]
    let primaries = words[kCVImageBufferColorPrimariesKey] as? String
    let transfer = words[kCVImageBufferTransferFunctionKey] as? String
    switch (primaries, transfer) {
    case (kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_sRGB):
        return CGColorSpace(name: CGColorSpace.sRGB)
    case (kCVImageBufferColorPrimaries_ITU_R_709_2, kCVImageBufferTransferFunction_Linear):
        return CGColorSpace(name: CGColorSpace.linearSRGB)
    case (kCVImageBufferColorPrimaries_ITU_R_709_2, _): return CGColorSpace(name: CGColorSpace.itur_709)
    case (kCVImageBufferColorPrimaries_P3_D65, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ):
        return CGColorSpace(name: CGColorSpace.displayP3_PQ)
    case (kCVImageBufferColorPrimaries_P3_D65, kCVImageBufferTransferFunction_ITU_R_2100_HLG):
        return CGColorSpace(name: CGColorSpace.displayP3_HLG)
    case (kCVImageBufferColorPrimaries_P3_D65, _): return CGColorSpace(name: CGColorSpace.displayP3)
    case (kCVImageBufferColorPrimaries_DCI_P3, _): return CGColorSpace(name: CGColorSpace.dcip3)
    case (kCVImageBufferColorPrimaries_ITU_R_2020, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ):
        return CGColorSpace(name: CGColorSpace.itur_2100_PQ)
    case (kCVImageBufferColorPrimaries_ITU_R_2020, kCVImageBufferTransferFunction_ITU_R_2100_HLG):
        return CGColorSpace(name: CGColorSpace.itur_2100_HLG)
    case (kCVImageBufferColorPrimaries_ITU_R_2020, _): return CGColorSpace(name: CGColorSpace.itur_2020)
    default: return nil
    }
}

public func CVImageBufferGetColorSpace(_ buffer: CVImageBuffer) -> CGColorSpace? {
    CVBufferCopyAttachments(buffer, .shouldPropagate).flatMap { CVImageBufferCreateColorSpaceFromAttachments($0) }
}
