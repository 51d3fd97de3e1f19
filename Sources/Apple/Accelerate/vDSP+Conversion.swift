// Conversions between integers and floating point.

public func vDSP_vflt8(
    _ A: UnsafePointer<Int8>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vflt8D(
    _ A: UnsafePointer<Int8>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

public func vDSP_vflt16(
    _ A: UnsafePointer<Int16>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vflt16D(
    _ A: UnsafePointer<Int16>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

public func vDSP_vflt32(
    _ A: UnsafePointer<Int32>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vflt32D(
    _ A: UnsafePointer<Int32>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

public func vDSP_vfltu8(
    _ A: UnsafePointer<UInt8>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vfltu8D(
    _ A: UnsafePointer<UInt8>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

public func vDSP_vfltu16(
    _ A: UnsafePointer<UInt16>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vfltu16D(
    _ A: UnsafePointer<UInt16>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

public func vDSP_vfltu32(
    _ A: UnsafePointer<UInt32>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }

public func vDSP_vfltu32D(
    _ A: UnsafePointer<UInt32>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix8(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix8D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix16(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix16D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix32(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfix32D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu8(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu8D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu16(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu16D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt16>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu32(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds toward 0; values out of range become the type’s minimum or maximum.
public func vDSP_vfixu32D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt32>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: false) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr8(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr8D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr16(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr16D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr32(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixr32D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Int32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur8(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur8D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt8>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur16(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt16>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur16D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt16>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur32(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt32>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Rounds to the nearest; values out of range become the type’s minimum or maximum.
public func vDSP_vfixur32D(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<UInt32>, _ IC: vDSP_Stride,
    _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { wholeNumber($0, rounds: true) } }

/// Converts single precision to double.
public func vDSP_vspdp(
    _ A: UnsafePointer<Float>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Double>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Double($0) } }

/// Converts double precision to single.
public func vDSP_vdpsp(
    _ A: UnsafePointer<Double>, _ IA: vDSP_Stride, _ C: UnsafeMutablePointer<Float>, _ IC: vDSP_Stride, _ N: vDSP_Length
) { eachElement(A, IA, C, IC, N) { Float($0) } }
