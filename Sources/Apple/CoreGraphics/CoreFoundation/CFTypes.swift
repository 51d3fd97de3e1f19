public import Foundation

// Core Foundation's names for Foundation's types. On Apple's systems, objects of the two frameworks are bridged. Here,
// both names mean the same type. Code such as `kCVPixelBufferWidthKey as String`, `attributes as CFDictionary` and `url
// as CFURL` therefore compiles, and costs no more than Foundation's own conversions.

public typealias CFString = String
public typealias CFMutableString = NSMutableString
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFURL = NSURL
public typealias CFError = NSError
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFNull = NSNull
public typealias CFDate = NSDate
public typealias CFTypeRef = AnyObject
public typealias CFPropertyList = AnyObject

public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFHashCode = UInt
public typealias CFOptionFlags = UInt
/// A time interval in seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001-01-01 00:00 UTC.
public typealias CFAbsoluteTime = Double

/// The result code of Apple's older interfaces; 0 is success, see `noErr`.
public typealias OSStatus = Int32
public typealias OSErr = Int16
/// A code of four ASCII characters, the first one in the highest byte.
public typealias OSType = UInt32
public typealias Boolean = UInt8
public typealias Float32 = Float
public typealias Float64 = Double

public let noErr: OSStatus = 0

public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
public let kCFNull: CFNull! = NSNull()
