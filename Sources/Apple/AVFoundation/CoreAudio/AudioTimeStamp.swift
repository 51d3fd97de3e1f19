/// The valid fields of an `AudioTimeStamp`.
public struct AudioTimeStampFlags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let sampleTimeValid = AudioTimeStampFlags(rawValue: 1 << 0)
    public static let hostTimeValid = AudioTimeStampFlags(rawValue: 1 << 1)
    public static let rateScalarValid = AudioTimeStampFlags(rawValue: 1 << 2)
    public static let wordClockTimeValid = AudioTimeStampFlags(rawValue: 1 << 3)
    public static let smpteTimeValid = AudioTimeStampFlags(rawValue: 1 << 4)
    public static let sampleHostTimeValid: AudioTimeStampFlags = [.sampleTimeValid, .hostTimeValid]
}

/// A timecode. The fields, their order and their sizes are Apple's.
public struct SMPTETime: Sendable, Hashable {
    public var mSubframes: Int16 = 0
    public var mSubframeDivisor: Int16 = 0
    public var mCounter: UInt32 = 0
    public var mType: UInt32 = 0
    public var mFlags: UInt32 = 0
    public var mHours: Int16 = 0
    public var mMinutes: Int16 = 0
    public var mSeconds: Int16 = 0
    public var mFrames: Int16 = 0

    public init() {}
}

/// One point in time, as several clocks measure it. The fields, their order and their sizes are Apple's.
public struct AudioTimeStamp: Sendable, Hashable {
    /// The time as the index of a sample.
    public var mSampleTime: Double = 0
    /// The time as a value of `mach_absolute_time`.
    public var mHostTime: UInt64 = 0
    public var mRateScalar: Double = 0
    public var mWordClockTime: UInt64 = 0
    public var mSMPTETime = SMPTETime()
    public var mFlags: AudioTimeStampFlags = []
    public var mReserved: UInt32 = 0

    public init() {}
    public init(
        mSampleTime: Double, mHostTime: UInt64, mRateScalar: Double, mWordClockTime: UInt64, mSMPTETime: SMPTETime,
        mFlags: AudioTimeStampFlags, mReserved: UInt32
    ) {
        self.mSampleTime = mSampleTime
        self.mHostTime = mHostTime
        self.mRateScalar = mRateScalar
        self.mWordClockTime = mWordClockTime
        self.mSMPTETime = mSMPTETime
        self.mFlags = mFlags
        self.mReserved = mReserved
    }
}
