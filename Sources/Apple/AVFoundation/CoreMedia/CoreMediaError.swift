import Foundation

/// Core Media's codes as errors, in the form that its Swift interface throws.
enum CoreMediaError {
    static func of(_ status: OSStatus) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }

    static func check(_ status: OSStatus) throws { if status != noErr { throw of(status) } }
}
