public import Foundation

public typealias CMAttachmentBearer = AnyObject
public typealias CMAttachmentMode = UInt32
public let kCMAttachmentMode_ShouldNotPropagate: CMAttachmentMode = 0
public let kCMAttachmentMode_ShouldPropagate: CMAttachmentMode = 1

/// Sets an attachment of a sample buffer or a pixel buffer. Does nothing for other objects.
public func CMSetAttachment(
    _ target: CMAttachmentBearer, key: CFString, value: CFTypeRef?, attachmentMode: CMAttachmentMode
) {
    if let sample = target as? CMSampleBuffer {
        sample.set(value, attachmentMode, for: key)
    } else if let frame = target as? CVPixelBuffer {
        guard let value else { return frame.removeAttachment(key) }
        frame.set(value, CVAttachmentMode(rawValue: attachmentMode) ?? .shouldNotPropagate, for: key)
    }
}

public func CMGetAttachment(
    _ target: CMAttachmentBearer, key: CFString, attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? {
    if let sample = target as? CMSampleBuffer {
        guard let attachment = sample.attachment(key) else { return nil }
        attachmentModeOut?.pointee = attachment.mode
        return attachment.value as AnyObject
    }
    guard let attachment = (target as? CVPixelBuffer)?.attachment(key) else { return nil }
    attachmentModeOut?.pointee = attachment.mode.rawValue
    return attachment.value as AnyObject
}

public func CMRemoveAttachment(_ target: CMAttachmentBearer, key: CFString) {
    CMSetAttachment(target, key: key, value: nil, attachmentMode: kCMAttachmentMode_ShouldNotPropagate)
}

public func CMRemoveAllAttachments(_ target: CMAttachmentBearer) {
    (target as? CMSampleBuffer)?.removeAllAttachments()
    (target as? CVPixelBuffer)?.removeAllAttachments()
}

public func CMSetAttachments(
    _ target: CMAttachmentBearer, attachments: CFDictionary, attachmentMode: CMAttachmentMode
) {
    for (key, value) in attachments as? [String: Any] ?? [:] {
        CMSetAttachment(target, key: key, value: value as AnyObject, attachmentMode: attachmentMode)
    }
}

public func CMCopyDictionaryOfAttachments(
    allocator: CFAllocator?, target: CMAttachmentBearer, attachmentMode: CMAttachmentMode
) -> CFDictionary? {
    let all =
        (target as? CMSampleBuffer)?.attachments(attachmentMode)
        ?? (target as? CVPixelBuffer)?.attachments(CVAttachmentMode(rawValue: attachmentMode) ?? .shouldNotPropagate)
    guard let all, !all.isEmpty else { return nil }
    return all as NSDictionary
}

public func CMPropagateAttachments(_ source: CMAttachmentBearer, destination: CMAttachmentBearer) {
    guard
        let all = CMCopyDictionaryOfAttachments(
            allocator: nil, target: source, attachmentMode: kCMAttachmentMode_ShouldPropagate)
    else { return }
    CMSetAttachments(destination, attachments: all, attachmentMode: kCMAttachmentMode_ShouldPropagate)
}
